import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { mostWaitedFor } from '../../../analysis/batches/most-waited-for.ts';
import type { LoaderSummary } from '../../../analysis/batches/summary.ts';
import { withChanges } from '../../../appliers/pytorch/constructor-rules.ts';
import { CONFIDENCE, mean } from '../../../math/statistics.ts';
import { VenturiError } from '../../../model/errors.ts';
import { machineOf } from '../../../model/host.ts';
import type { LoaderChanges } from '../../../model/loader-changes.ts';
import type { LoaderSettings } from '../../../model/loader-facts.ts';
import type { Warning } from '../../../model/warnings.ts';
import { forecastLoader, type LoaderForecast } from '../../../prediction/loader/forecast.ts';
import { type LoaderProfile, measuredOver } from '../../../prediction/loader/profile.ts';
import { SAME, WORTHWHILE } from '../../../prediction/thresholds.ts';
import type {
  LoaderPlan,
  LoaderTrial,
  MeasuredRate,
  TuneProgramResult,
} from '../../../report/results/program-tuning.ts';
import { careful, chooseSetting, type LoaderChoice } from '../../../tuning/loader/choose.ts';
import { unknownName } from '../../refusals.ts';
import { gainOf, isOpen, type Judged, judge, LEAST_AGAIN, MOST_AGAIN, meanOf, type Timed } from '../judgement.ts';
import { DEFAULT_BATCHES, DEFAULT_ROUNDS } from '../tune-defaults.ts';
import { editOf } from './loader-edit.ts';
import { loaderProfile, toldForecast } from './predict.ts';
import { type ProgramRun, readProgram } from './read-batches.ts';
import { type RecordRequest, recordProgram } from './record.ts';

export interface TuneProgramRequest extends Pick<RecordRequest, 'command' | 'outputToError' | 'onStart'> {
  /** Batches of each recording; the program ends after them. */
  readonly batches?: number | undefined;
  /** How often each setting is tried, in turn with the program as it is. */
  readonly rounds?: number | undefined;
  /** Passes that the program makes; where nobody says, what is paid once does not count. */
  readonly epochs?: number | undefined;
  /** Keeps the recordings: NAME-before, NAME-after. */
  readonly record?: string | undefined;
  /** The loader, where a program has several; else the one its consumer waits for most. */
  readonly loader?: string | undefined;
  onPhase?(phase: 'before' | 'after', changes: LoaderChanges): void;
}

/**
 * Records a program briefly, forecasts how its loader is best set, sets it so without an edit, records it again and says
 * how forecast and measurement compare.
 */
export async function tuneProgram(request: TuneProgramRequest): Promise<TuneProgramResult> {
  const recordings: string[] = [];
  const warnings: Warning[] = [];
  const record: Recording = (phase, changes, overrides) =>
    trial(request, phase, changes, overrides, recordings, warnings);
  try {
    const first = await record('before', {}, undefined);
    const loader = loaderOf(first, request.loader);
    const recorded = profileIn(first, loader);
    const { epochs, rounds = 1 } = request;
    const trials = new LoaderTrials(record, loader, recorded, { rounds, epochs });
    const now = chooseSetting(recorded, loader.settings, { epochs });
    let latest: Tried = { profile: recorded, applied: loader.settings };
    let changes: LoaderChanges = {};
    for (let choice = careful(now, recorded); isPromising(choice, trials.count); ) {
      changes = withChanges(changes, choice.changes);
      latest = await trials.add(changes, choice.best);
      choice = chooseSetting(latest.profile, latest.applied, { epochs });
    }
    if (loader.accelerator === 'cuda' && loader.settings?.pin_memory === false) {
      // What copying beside the device's work brings, no recording without it can tell: it is tried.
      const pinned = forecastLoader(latest.profile, { ...latest.profile.setting, pinned: true }, { epochs });
      await trials.add({ ...changes, pin_memory: true }, pinned);
    }
    await trials.again();
    const { before, tried, best, unchanged, gained } = trials.result();
    return {
      schemaVersion: 1,
      command: request.command,
      loader: loader.name,
      location: loader.location,
      settings: loader.settings,
      before,
      now: toldForecast(now.now),
      trials: tried,
      best,
      plan: planOf(loader, best),
      unchanged,
      gained,
      coresUsable: machineOf(first.run.manifest).coresUsable,
      othersBusy: recorded.othersUsed ?? 0,
      edit: best === undefined ? undefined : editOf(first, loader, best.changes),
      recordings: request.record === undefined ? [] : recordings,
      warnings,
    };
  } finally {
    if (request.record === undefined) for (const folder of recordings) rmSync(folder, { recursive: true, force: true });
  }
}

/** What a trial has shown last. */
interface Tried {
  readonly profile: LoaderProfile;
  readonly applied: LoaderSettings | undefined;
}

/** Settings that are tried, in turn with the program as it is. */
class LoaderTrials {
  readonly #record: Recording;
  readonly #loader: LoaderSummary;
  readonly #rounds: number;
  readonly #epochs: number | undefined;
  /** Each in a round of its own. */
  readonly #unchanged: Run[];
  readonly #tried: Setting[] = [];

  constructor(
    record: Recording,
    loader: LoaderSummary,
    recorded: LoaderProfile,
    { rounds, epochs }: { readonly rounds: number; readonly epochs: number | undefined },
  ) {
    this.#record = record;
    this.#loader = loader;
    this.#rounds = Math.max(1, rounds);
    this.#epochs = epochs;
    this.#unchanged = [runOf(recorded, 0, epochs)];
  }

  get count(): number {
    return this.#tried.length;
  }

  async add(changes: LoaderChanges, predicted: LoaderForecast): Promise<Tried> {
    const first = await this.#run(changes);
    const setting: Setting = { changes, predicted: toldForecast(predicted), runs: [first.run], last: first.shown };
    this.#tried.push(setting);
    for (let round = 2; round <= this.#rounds; round++) await this.#inTurn(setting);
    return setting.last;
  }

  /** What may be the best is run again, in turn with the program as it is: the machine may have been faster for one of the two. */
  async again(): Promise<void> {
    const best = this.#fastest;
    if (best === undefined) return;
    const least = LEAST_AGAIN + 1;
    while (best.runs.length < least || (best.runs.length <= MOST_AGAIN && isOpen([this.#judged(best)]))) {
      await this.#inTurn(best);
    }
  }

  async #inTurn(setting: Setting): Promise<void> {
    const unchanged = profileIn(await this.#record('before', {}, undefined), this.#loader);
    this.#unchanged.push(runOf(unchanged, this.#unchanged.length, this.#epochs));
    const { run, shown } = await this.#run(setting.changes);
    setting.runs.push(run);
    setting.last = shown;
  }

  /** A run with these changes, in the round of the last one without. */
  async #run(changes: LoaderChanges): Promise<{ readonly run: Run; readonly shown: Tried }> {
    const program = await this.#record('after', changes, overridesFor(this.#loader, changes));
    const again = loaderOf(program, this.#loader);
    const profile = profileIn(program, again);
    return {
      run: runOf(profile, this.#unchanged.length - 1, this.#epochs),
      shown: { profile, applied: again.settings },
    };
  }

  /** Not slower than what changes more by an amount that means something; undefined where all are slower than the program as it is. */
  get #fastest(): Setting | undefined {
    const rate = (runs: readonly Run[]): number => meanOf(runs).estimate;
    return this.#tried.reduce<Setting | undefined>(
      (most, each) => (rate(each.runs) > (1 + SAME) * rate(most?.runs ?? this.#unchanged) ? each : most),
      undefined,
    );
  }

  #judged({ runs, last }: Setting): Judged {
    const gained = gainOf(runs, this.#unchanged);
    return { measured: meanOf(runs), gained, lanes: last.applied?.num_workers ?? 0, ofPasses: 1 };
  }

  /** A setting is the best where it is faster beyond what runs differ by, whatever was forecast. */
  result(): Pick<TuneProgramResult, 'before' | 'best' | 'unchanged' | 'gained'> & {
    readonly tried: readonly LoaderTrial[];
  } {
    const before = rateOf(this.#unchanged);
    const tried = this.#tried.map((setting): LoaderTrial => {
      const { changes, predicted, runs, last } = setting;
      const measured = rateOf(runs);
      const ratio = ratioOf(predicted.rate.estimate, measured);
      return { changes, applied: last.applied, predicted, measured, ratio, gain: this.#judged(setting).gained };
    });
    const fastest = this.#fastest ?? this.#tried[0];
    const judgement = judge(fastest === undefined ? [] : [this.#judged(fastest)], meanOf(this.#unchanged));
    const best = 'best' in judgement && fastest !== undefined ? tried[this.#tried.indexOf(fastest)] : undefined;
    const gained = best?.gain ?? gainOf(this.#unchanged, this.#unchanged);
    return { before, tried, best, gained, unchanged: 'unchanged' in judgement ? judgement.unchanged : undefined };
  }
}

/** What the probe did not set is refused: it keeps what a program gets from its loader. */
function planOf({ name, location }: LoaderSummary, best: LoaderTrial | undefined): LoaderPlan {
  const had: Readonly<Record<string, unknown>> = { ...best?.applied };
  const changes = Object.entries(best?.changes ?? {});
  const left = changes.filter(([argument, to]) => had[argument] !== to).map(([argument]) => argument);
  const message = `Not applied, because it might change the batches: ${left.join(', ')}.`;
  return {
    schemaVersion: 1,
    target: 'pytorch',
    loader: { name, location },
    changes: changes
      .filter(([argument]) => !left.includes(argument))
      .map(([argument, to]) => ({ action: { kind: 'argument', operator: name, argument, to } })),
    refused: left.length === 0 ? [] : [{ code: 'VENTURI_WARN_NOT_APPLIED', message, operators: [name] }],
  };
}

/** A setting and its runs. */
interface Setting {
  readonly changes: LoaderChanges;
  readonly predicted: LoaderForecast;
  readonly runs: Run[];
  /** What the last of them has shown. */
  last: Tried;
}

/** A recording, and the round it was made in. */
interface Run extends Timed {
  /** Elements per second of its parts. */
  readonly parts: readonly number[];
}

function runOf(profile: LoaderProfile, round: number, epochs: number | undefined): Run {
  const estimate = measuredOver(profile, epochs);
  const parts = profile.measuredParts.map(part => (part * estimate) / profile.measured);
  const [low, high] = [Math.min(estimate, ...parts), Math.max(estimate, ...parts)];
  return { parts, round, measured: { estimate, low, high, confidence: CONFIDENCE } };
}

type Overrides = Record<string, LoaderChanges>;
type Recording = (
  phase: 'before' | 'after',
  changes: LoaderChanges,
  overrides: Overrides | undefined,
) => Promise<ProgramRun>;

/** A recording at another setting may know better: what promises more is tried too. */
const isPromising = ({ changes, factor }: LoaderChoice, tried: number): boolean =>
  Object.keys(changes).length > 0 && tried < DEFAULT_ROUNDS && (tried === 0 || factor > 1 + WORTHWHILE);

const ratioOf = (predicted: number, { estimate, low, high }: MeasuredRate): LoaderTrial['ratio'] => ({
  estimate: predicted / estimate,
  low: predicted / high,
  high: predicted / low,
});

/** By what is known of a loader when it is made. */
const overridesFor = ({ key, location, name }: LoaderSummary, changes: LoaderChanges): Overrides => ({
  [key ?? location ?? name]: changes,
});

async function trial(
  request: TuneProgramRequest,
  phase: 'before' | 'after',
  changes: LoaderChanges,
  overrides: Overrides | undefined,
  recordings: string[],
  warnings: Warning[],
): Promise<ProgramRun> {
  request.onPhase?.(phase, changes);
  const script = basename(request.command.find(word => word.endsWith('.py')) ?? 'program', '.py');
  const name = `${request.record ?? `.${script}-tune-${process.pid}`}-${phase}`;
  const turn = recordings.filter(folder => basename(folder).startsWith(basename(name))).length + 1;
  const result = await recordProgram({
    command: request.command,
    out: turn === 1 ? name : `${name}-${turn}`,
    batches: request.batches ?? DEFAULT_BATCHES,
    environment: {
      VENTURI_THEN_STOP: '1',
      ...(overrides === undefined ? {} : { VENTURI_LOADERS: JSON.stringify(overrides) }),
    },
    outputToError: request.outputToError,
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
          : (result.warnings[0]?.message ?? 'Try the command by itself first.'),
    });
  }
  return readProgram(result.recording);
}

/** `wanted`: a name, or what another run calls it; without it the one that its consumer waits for most. */
function loaderOf(
  { summary }: ProgramRun,
  wanted: string | Pick<LoaderSummary, 'key' | 'name'> | undefined,
): LoaderSummary {
  const { key, name: called } = typeof wanted === 'object' ? wanted : { key: undefined, name: wanted };
  const isWanted = (loader: LoaderSummary): boolean =>
    key === undefined || loader.key === undefined ? loader.name === called : loader.key === key;
  const found = wanted === undefined ? mostWaitedFor(summary.loaders) : summary.loaders.find(isWanted);
  if (found !== undefined) return found;
  const names = summary.loaders.map(({ name }) => name);
  throw unknownName(`This program has no loader '${called}'.`, names);
}

function profileIn(program: ProgramRun, loader: LoaderSummary): LoaderProfile {
  const profile = loaderProfile(program, loader);
  if (profile !== undefined) return profile;
  throw new VenturiError('VENTURI_RUN_EMPTY', `Too few batches of ${loader.name} were recorded to forecast from.`, {
    remedy: `Record more of them: --batches ${DEFAULT_BATCHES}.`,
  });
}

function rateOf(runs: readonly Run[]): MeasuredRate {
  const [only] = runs;
  const rates = runs.map(({ measured }) => measured.estimate);
  const parts = runs.length === 1 && only !== undefined ? only.parts : rates;
  return {
    estimate: Math.exp(mean(rates.map(Math.log))),
    low: Math.min(...parts, ...rates),
    high: Math.max(...parts, ...rates),
    of: runs.length === 1 ? 'parts' : 'recordings',
  };
}
