import { estimateIfNarrow } from '../../../math/narrow-interval.ts';
import { mean } from '../../../math/statistics.ts';
import { VenturiError } from '../../../model/errors.ts';
import type { StepTrace } from '../../../model/step-trace.ts';
import { cores, NS_PER_SECOND, ns } from '../../../model/units.ts';
import { forecastLoader, machineFor } from '../../../prediction/loader/forecast.ts';
import { withCores } from '../../../prediction/loader/machine.ts';
import type { LoaderProfile, Preparing } from '../../../prediction/loader/profile.ts';
import { inputProfile, type NoInputProfile } from '../../../prediction/replay/input-profile.ts';
import type { InputForecast, InputPrediction, JoinedRecording } from '../../../report/results/input-prediction.ts';
import { workerCounts } from '../../../tuning/loader/choose.ts';
import { joinRecording, recordingBeside } from './joined-recording.ts';
import { openSteps } from './read.ts';
import { unmarkedWarnings } from './unmarked.ts';

export interface PredictInputRequest {
  readonly workers?: readonly number[] | undefined;
  readonly cores?: number | undefined;
  readonly prefetch?: number | undefined;
  readonly stepMarker?: string | undefined;
  /** A recording of the same job; the one in the folder of the trace unless given. */
  readonly recording?: string | undefined;
  /** Of the recording, where it has several. */
  readonly loader?: string | undefined;
}

/** What steps would take with other numbers of workers: from a trace of steps that prepare their own batches, or from a trace and a recording. */
export async function predictInput(path: string, request: PredictInputRequest): Promise<InputPrediction> {
  const { heading, trace } = await openSteps(path, request.stepMarker);
  const recording = request.recording ?? recordingBeside(path);
  const { profile, workers, joined } =
    recording === undefined ? fromTrace(path, trace, request) : await fromRecording(recording, trace, request);
  const { prefetch = profile.setting.prefetch } = request;
  const stepAt = (rate: number): number => (profile.ranks * profile.batchSize * NS_PER_SECOND) / rate;
  const whatIf = { cores: request.cores === undefined ? undefined : cores(request.cores) };
  return {
    schemaVersion: 1,
    name: heading.name,
    folder: heading.folder,
    whatIf: { workers, cores: request.cores },
    recorded: {
      steps: profile.steps.length,
      workers: profile.setting.workers,
      step: ns(stepAt(profile.measured)),
      input: ns(mean(profile.preparing.map(preparationOf))),
    },
    joined,
    forecasts: workers.map((count): InputForecast => {
      const forecast = forecastLoader(profile, { ...profile.setting, workers: count, prefetch }, whatIf);
      const { estimate, low, high, confidence } = estimateIfNarrow(forecast.rate);
      return {
        workers: count,
        step: { estimate: stepAt(estimate), low: stepAt(high), high: stepAt(low), confidence },
        waitShare: forecast.waitShare,
        bound: forecast.bound,
      };
    }),
    problems: unmarkedWarnings(heading.name, trace),
  };
}

interface Basis {
  readonly profile: LoaderProfile;
  readonly workers: readonly number[];
  readonly joined: JoinedRecording | undefined;
}

function fromTrace(path: string, trace: StepTrace, request: PredictInputRequest): Basis {
  const recorded = inputProfile(trace, 0);
  if (typeof recorded === 'string') throw refusal(path, recorded);
  const workers = request.workers ?? usualWorkers(recorded);
  // Without a word of cores, there is one for each worker and one for the training thread.
  const machine = withCores(recorded.machine, request.cores ?? 1 + Math.max(...workers));
  return { profile: { ...recorded, machine }, workers, joined: undefined };
}

async function fromRecording(recording: string, trace: StepTrace, request: PredictInputRequest): Promise<Basis> {
  const { profile, joined } = await joinRecording(recording, trace, request.loader);
  const whatIf = { cores: request.cores === undefined ? undefined : cores(request.cores) };
  const usual = workerCounts(machineFor(profile, whatIf).cores, profile.setting.workers);
  return { profile, workers: request.workers ?? usual, joined };
}

const preparationOf = ({ cpu, asleep }: Preparing): number => cpu + asleep;

/** None, and doublings up to a number that prepares batches at least as fast as steps consume them. */
function usualWorkers({ preparing, steps }: LoaderProfile): readonly number[] {
  const needed = mean(preparing.map(preparationOf)) / Math.max(1, mean(steps.map(({ cpu }) => cpu)));
  const counts = [0, 1];
  while ((counts.at(-1) ?? 0) < needed) counts.push(2 * (counts.at(-1) ?? 1));
  return counts;
}

const REASONS: Readonly<Record<NoInputProfile, string>> = {
  'no-input': 'has no event of a DataLoader',
  workers: 'is of a DataLoader with workers, whose preparation is in other processes than the one that was profiled',
};

const refusal = (path: string, why: NoInputProfile): VenturiError =>
  new VenturiError('VENTURI_STEPS_NONE', `${path} ${REASONS[why]}: what other numbers of workers bring is not in it.`, {
    remedy:
      'Record the program and give both: venturi record -- COMMAND, then venturi predict TRACE --recording NAME.venturi; or profile it with ' +
      'num_workers=0. What a cluster would come to: --replicas 1..8 --bandwidth 10Gbit',
  });
