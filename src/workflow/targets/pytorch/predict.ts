import { isConsumed } from '../../../analysis/batches/batch.ts';
import type { BatchFacts } from '../../../analysis/batches/fold.ts';
import type { LoaderSummary } from '../../../analysis/batches/summary.ts';
import { estimateIfNarrow, isNarrow } from '../../../math/narrow-interval.ts';
import { VenturiError } from '../../../model/errors.ts';
import { machineOf } from '../../../model/host.ts';
import type { RunManifest } from '../../../model/run.ts';
import { calibrated } from '../../../prediction/loader/calibrate.ts';
import {
  assumptionsOf,
  forecastLoader,
  type LoaderForecast,
  type LoaderWhatIf,
  machineFor,
  ownError,
} from '../../../prediction/loader/forecast.ts';
import { type LoaderProfile, profileOf } from '../../../prediction/loader/profile.ts';
import type { LoaderPrediction, ProgramPrediction } from '../../../report/results/program-prediction.ts';
import { chooseSetting, type LoaderChoice, workerCounts } from '../../../tuning/loader/choose.ts';
import { unknownName } from '../../refusals.ts';
import { problemsOf } from '../../run-heading.ts';
import { type ProgramRun, readProgram } from './read-batches.ts';

export interface PredictLoaderRequest extends LoaderWhatIf {
  /** Numbers of workers to forecast; a row of usual ones unless given. */
  readonly workers?: readonly number[] | undefined;
  readonly prefetch?: number | undefined;
  /** The loader, where a program has several. */
  readonly loader?: string | undefined;
}

export const predictProgram = async (path: string, request: PredictLoaderRequest = {}): Promise<ProgramPrediction> =>
  programPredictionOf(await readProgram(path), request);

export function programPredictionOf(program: ProgramRun, request: PredictLoaderRequest = {}): ProgramPrediction {
  const { run } = program;
  const { workers, prefetch, loader: wanted, ...whatIf } = request;
  const { loaders } = program.summary;
  if (wanted !== undefined && !loaders.some(({ name }) => name === wanted)) {
    const names = loaders.map(({ name }) => name);
    throw unknownName(`This run has no loader '${wanted}'.`, names);
  }
  const predictions = loaders
    .filter(({ name }) => wanted === undefined || name === wanted)
    .flatMap(loader => {
      const profile = loaderProfile(program, loader);
      return profile === undefined ? [] : [predictionOf(profile, loader, whatIf, workers, prefetch)];
    });
  if (predictions.length === 0) {
    throw new VenturiError('VENTURI_RUN_EMPTY', `Too few batches were recorded in ${run.folder} to forecast from.`, {
      remedy: 'Record more of them: venturi record --batches 200 -- COMMAND',
    });
  }
  return {
    schemaVersion: 1,
    name: run.manifest.name,
    folder: run.folder,
    host: machineOf(run.manifest),
    whatIf,
    loaders: predictions,
    problems: problemsOf(run),
  };
}

export function loaderProfile({ facts, use, run }: ProgramRun, { name }: LoaderSummary): LoaderProfile | undefined {
  const host = machineOf(run.manifest);
  const profile = profileOf(name, { facts, use, host, isCut: isCut(run.manifest, facts) });
  return profile && calibrated(profile);
}

/** The recording ended before the program did: with as many batches as were asked for, or by force. */
function isCut({ settings, outcome }: RunManifest, { batches }: BatchFacts): boolean {
  const { batches: most } = settings;
  return outcome?.status !== 'completed' || (typeof most === 'number' && batches.filter(isConsumed).length >= most);
}

function predictionOf(
  profile: LoaderProfile,
  { location, settings }: LoaderSummary,
  whatIf: LoaderWhatIf,
  workers: readonly number[] | undefined,
  prefetch: number | undefined,
): LoaderPrediction {
  // Each worker of a stream runs a copy of it: with another number it would be another stream.
  const usual = settings?.stream === true ? [profile.setting.workers] : undefined;
  const counts = workers ?? usual ?? workerCounts(machineFor(profile, whatIf).cores, profile.setting.workers);
  const offBy = ownError(profile);
  const setting = { ...profile.setting, ...(prefetch === undefined ? {} : { prefetch }) };
  return {
    loader: profile.loader,
    location,
    recorded: profile.setting,
    batchSize: profile.batchSize,
    measured: profile.measured,
    ownError: offBy,
    othersBusy: profile.othersUsed ?? 0,
    forecasts: counts
      .map(count => forecastLoader(profile, { ...setting, workers: count }, whatIf, offBy))
      .map(toldForecast),
    choice: toldChoice(chooseSetting(profile, settings, whatIf)),
    assumptions: assumptionsOf(profile, whatIf),
  };
}

/** A forecast that may be anything has no estimate. */
export const toldForecast = (forecast: LoaderForecast): LoaderForecast => ({
  ...forecast,
  rate: estimateIfNarrow(forecast.rate),
});

/** What cannot be told is not advised. */
function toldChoice(choice: LoaderChoice): LoaderChoice {
  const { best, now, most, unordered } = choice;
  const isBestTold = isNarrow(best.rate);
  return {
    ...choice,
    best: toldForecast(best),
    now: toldForecast(now),
    most: toldForecast(most),
    unordered: unordered !== undefined && isNarrow(unordered.rate) ? unordered : undefined,
    changes: isBestTold ? choice.changes : {},
    factor: isBestTold && isNarrow(now.rate) ? choice.factor : Number.NaN,
  };
}
