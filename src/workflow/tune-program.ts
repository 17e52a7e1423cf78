import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { mostWaitedFor } from '../analysis/batches/advice.ts';
import type { LoaderSummary } from '../analysis/batches/summary.ts';
import { median } from '../math/statistics.ts';
import { VenturiError } from '../model/errors.ts';
import type { LoaderSettings } from '../model/loader-facts.ts';
import type { LoaderChanges } from '../model/loader-finding.ts';
import type { LoaderForecast } from '../prediction/loader/forecast.ts';
import type { LoaderProfile } from '../prediction/loader/profile.ts';
import { chooseSetting } from '../tuning/loader/choose.ts';
import { editOf, type LoaderEdit } from './diagnose-program.ts';
import { loaderProfile } from './predict-program.ts';
import { type ProgramRun, readProgram } from './read-batches.ts';
import { type RecordRequest, recordProgram } from './record-program.ts';

export interface TuneProgramRequest extends Pick<RecordRequest, 'command' | 'outputToError' | 'onStart'> {
  /** Batches of each recording; the program ends after them. */
  readonly batches?: number | undefined;
  /** How often it is tried with and without the changes, in turn. */
  readonly rounds?: number | undefined;
  /** Keeps the recordings: NAME-before, NAME-after. */
  readonly record?: string | undefined;
  /** The loader, where a program has several; else the one its consumer waits for most. */
  readonly loader?: string | undefined;
  onPhase?(phase: 'before' | 'after', round: number, changes: LoaderChanges): void;
}

/** Elements per second of several recordings: the median, the least and the most. */
export interface MeasuredRate {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** What `low` and `high` are taken from: recordings, or parts of the only one. */
  readonly of: 'recordings' | 'parts';
}

export interface TuneProgramResult {
  readonly schemaVersion: 1;
  readonly command: readonly string[];
  readonly loader: string;
  readonly location: string | undefined;
  readonly settings: LoaderSettings | undefined;
  readonly changes: LoaderChanges;
  /** What the program really had; differs from `changes` where a change was not safe. */
  readonly applied: LoaderSettings | undefined;
  readonly before: MeasuredRate;
  readonly predicted: LoaderForecast;
  /** Undefined where nothing was worth a change. */
  readonly after: MeasuredRate | undefined;
  /** Predicted over measured: at the median, and at the ends of what was measured. */
  readonly ratio: { readonly estimate: number; readonly low: number; readonly high: number } | undefined;
  /** What the changes brought: after over before. */
  readonly gain: number | undefined;
  readonly edit: LoaderEdit | undefined;
  readonly recordings: readonly string[];
  readonly warnings: readonly string[];
}

const BATCHES = 200;

/**
 * Records a program briefly, forecasts how its loader is best set, sets it so without an edit, records it again and says
 * how forecast and measurement compare.
 */
export async function tuneProgram(request: TuneProgramRequest): Promise<TuneProgramResult> {
  const recordings: string[] = [];
  const warnings: string[] = [];
  const rounds = Math.max(1, request.rounds ?? 1);
  try {
    const first = await trial(request, 'before', 1, {}, recordings, warnings);
    const loader = loaderOf(first, request.loader);
    const profile = profileIn(first, loader);
    const choice = chooseSetting(profile, loader.settings);
    const { changes } = choice;
    const common = {
      schemaVersion: 1,
      command: request.command,
      loader: loader.name,
      location: loader.location,
      settings: loader.settings,
      changes,
      predicted: choice.best,
      warnings,
    } as const;
    if (Object.keys(changes).length === 0) {
      const before = rateOf([profile]);
      return { ...common, ...UNCHANGED, before, recordings: kept(request, recordings) };
    }
    const overrides = overridesFor(loader, changes);
    const [unchanged, changed]: [LoaderProfile[], LoaderProfile[]] = [[profile], []];
    let applied: LoaderSettings | undefined;
    for (let round = 1; round <= rounds; round++) {
      if (round > 1) unchanged.push(profileIn(await trial(request, 'before', round, {}, recordings, warnings), loader));
      const tried = await trial(request, 'after', round, changes, recordings, warnings, overrides);
      const again = loaderOf(tried, loader.name);
      applied = again.settings;
      changed.push(profileIn(tried, again));
    }
    const [before, after] = [rateOf(unchanged), rateOf(changed)];
    const predicted = choice.best.rate.estimate;
    return {
      ...common,
      applied,
      before,
      after,
      ratio: { estimate: predicted / after.estimate, low: predicted / after.high, high: predicted / after.low },
      gain: after.estimate / before.estimate,
      edit: editOf(loader, changes, first.run.manifest),
      recordings: kept(request, recordings),
    };
  } finally {
    if (request.record === undefined) for (const folder of recordings) rmSync(folder, { recursive: true, force: true });
  }
}

const UNCHANGED = { applied: undefined, after: undefined, ratio: undefined, gain: undefined, edit: undefined } as const;

const kept = ({ record }: TuneProgramRequest, recordings: readonly string[]): readonly string[] =>
  record === undefined ? [] : recordings;

/** By the place it is made at, which tells loaders of one name apart. */
const overridesFor = ({ location, name }: LoaderSummary, changes: LoaderChanges): Record<string, LoaderChanges> => ({
  [location ?? name]: changes,
});

async function trial(
  request: TuneProgramRequest,
  phase: 'before' | 'after',
  round: number,
  changes: LoaderChanges,
  recordings: string[],
  warnings: string[],
  overrides?: Record<string, LoaderChanges>,
): Promise<ProgramRun> {
  request.onPhase?.(phase, round, changes);
  const name =
    request.record ??
    `.${basename(request.command.find(word => word.endsWith('.py')) ?? 'program', '.py')}-tune-${process.pid}`;
  const result = await recordProgram({
    command: request.command,
    out: `${name}-${phase}${round === 1 ? '' : `-${round}`}`,
    batches: request.batches ?? BATCHES,
    environment: {
      VENTURI_THEN_STOP: '1',
      ...(overrides === undefined ? {} : { VENTURI_LOADERS: JSON.stringify(overrides) }),
    },
    ...(request.outputToError === undefined ? {} : { outputToError: request.outputToError }),
    ...(request.onStart === undefined ? {} : { onStart: request.onStart }),
  });
  if (result.recording !== undefined) recordings.push(result.recording);
  warnings.push(...result.warnings);
  if (result.recording === undefined || result.exitCode !== 0) {
    const how = phase === 'after' ? ` with ${JSON.stringify(changes)}` : '';
    throw new VenturiError('VENTURI_PROGRAM_FAILED', `The program ended with ${result.exitCode}${how}.`, {
      remedy:
        phase === 'after'
          ? 'It does not run so set: leave its loader as it is, or look at what it printed.'
          : (result.warnings[0] ?? 'Try the command by itself first.'),
    });
  }
  return readProgram(result.recording);
}

function loaderOf({ summary }: ProgramRun, wanted: string | undefined): LoaderSummary {
  const found =
    wanted === undefined ? mostWaitedFor(summary.loaders) : summary.loaders.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  throw new VenturiError('VENTURI_UNKNOWN_OPERATOR', `This program has no loader '${wanted}'.`, {
    remedy: `It has ${summary.loaders.map(({ name }) => `'${name}'`).join(', ')}.`,
  });
}

function profileIn(program: ProgramRun, loader: LoaderSummary): LoaderProfile {
  const profile = loaderProfile(program, loader);
  if (profile !== undefined) return profile;
  throw new VenturiError('VENTURI_RUN_EMPTY', `Too few batches of ${loader.name} were recorded to forecast from.`, {
    remedy: 'Record more of them: --batches 200.',
  });
}

function rateOf(profiles: readonly LoaderProfile[]): MeasuredRate {
  const [only] = profiles;
  const rates = profiles.map(({ measured }) => measured);
  const parts = profiles.length === 1 && only !== undefined ? only.measuredParts : rates;
  return {
    estimate: median(rates),
    low: Math.min(...parts, ...rates),
    high: Math.max(...parts, ...rates),
    of: profiles.length === 1 ? 'parts' : 'recordings',
  };
}
