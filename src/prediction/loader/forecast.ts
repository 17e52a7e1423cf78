import { ratio } from '../../math/ratio.ts';
import { CONFIDENCE, type Interval, mean } from '../../math/statistics.ts';
import { predictionHalfWidth } from '../../math/student.ts';
import { bandwidthAt, type DiskCurve } from '../../model/disk.ts';
import { type Bytes, bytes, type Cores, NS_PER_SECOND, type Ns, ns, type Share, share } from '../../model/units.ts';
import { blocksOf, ENOUGH_BATCHES } from './blocks.ts';
import { type Machine, paceAmong, TEAM, withCores } from './machine.ts';
import { type PassPace, rateOver, timeFor, type WorkerCost } from './passes.ts';
import type { LoaderProfile, Preparing, Step } from './profile.ts';
import { drawFrom, guessed, REPLICATIONS } from './resample.ts';
import type { LoaderSetting } from './setting.ts';
import { type Simulated, simulate } from './simulate.ts';
import { SLIGHT } from './thresholds.ts';
import { asAlone, NO_WARM_UP, takesAsLong, type WarmUp } from './warm-up.ts';

/** Changes that a forecast is asked for; the rest is as recorded. */
export interface LoaderWhatIf {
  readonly cores?: Cores | undefined;
  /** Duration of the consumer's step. */
  readonly step?: Ns | undefined;
  readonly batchSize?: number | undefined;
  readonly disk?: DiskCurve | undefined;
  readonly memory?: Bytes | undefined;
  /** Passes that the program makes. */
  readonly epochs?: number | undefined;
}

/** Memory of batches in flight and of workers; NaN where not recorded. */
export interface LoaderMemory {
  readonly sharedMemory: Bytes;
  readonly workers: Bytes;
  /** The one of the two that does not fit. */
  readonly short: 'shared-memory' | 'memory' | undefined;
}

/** Durations of passes of one rank. */
export interface PassTimes {
  /** The first, with the start of the workers, and each later one. */
  readonly first: Ns;
  readonly later: Ns;
  /** All passes of the program together; undefined where their number is unknown. */
  readonly program: { readonly epochs: number; readonly time: Interval } | undefined;
}

export interface LoaderForecast {
  readonly setting: LoaderSetting;
  /**
   * Elements per second of all ranks over the whole program, the start of its workers included: in every pass, or once where
   * they persist. Costs that are paid once do not count where the number of passes is unknown, and no start counts where the length
   * of a pass is unknown.
   */
  readonly rate: Interval;
  /** The same in steady state: once every worker delivers, until the last batches. */
  readonly steady: Interval;
  /** Time to start the workers, and to end them unless they persist. */
  readonly start: Ns;
  /** Undefined where the length of a pass is unknown. */
  readonly passes: PassTimes | undefined;
  /** Share of the consumer's time that it waits, in steady state. */
  readonly waitShare: Share;
  readonly waitBand: { readonly low: Share; readonly high: Share };
  /** Bottleneck: the consumer, the cores, storage, or the number of workers. */
  readonly bound: 'consumer' | 'cores' | 'storage' | 'workers' | 'preparation';
  readonly memory: LoaderMemory;
}

/**
 * Simulated batches of a pass, at least, as far as it has so many. Where times of batches have a standard deviation as large as their mean, the
 * mean of eight such passes has one of 2 %.
 */
const SIMULATED_BATCHES = 400;
/**
 * Relative difference between this run and another, by the variation of the recording's own blocks: half-width of the interval that holds
 * one block more. Blocks differ by the clock frequency of cores, by other programs and neighbours on a shared machine, and by the data.
 * `waiting`: share of the time that is preparation's, not the step's.
 */
function variation({ preparing, steps }: LoaderProfile, waiting: number): number {
  const whole = ({ cpu, asleep }: Preparing | Step): number => cpu + asleep;
  return waiting * variationOf(preparing.map(whole)) + (1 - waiting) * variationOf(steps.map(whole));
}

/** Of single batches where they do not fill the blocks: few blocks tell little of their variance. One batch has none. */
function variationOf(times: readonly number[]): number {
  const parts = times.length < ENOUGH_BATCHES ? times : blocksOf(times).map(mean);
  return parts.length < 2 ? 0 : ratio(predictionHalfWidth(parts, CONFIDENCE), mean(parts));
}

/** Throughput of a loader under another setting, by simulation; the same answer for the same recording. */
export function forecastLoader(
  profile: LoaderProfile,
  setting: LoaderSetting,
  whatIf: LoaderWhatIf = {},
  offBy: number = ownError(profile),
): LoaderForecast {
  const { paces, steady, waits, start, elements } = replicate(profile, setting, whatIf);
  // The model's error at the recorded setting may be its error at others, to either side.
  const doubt = (1 + variation(profile, mean(waits))) * Math.exp(Math.abs(Math.log(offBy)));
  const epochs = whatIf.epochs ?? profile.epochs;
  const rate = intervalOf(ratesOver(profile, paces, epochs, elements), doubt);
  return {
    setting,
    rate,
    steady: intervalOf(steady, doubt),
    start: ns(start),
    passes: passTimes(paces, rate, profile.ranks, epochs, elements),
    waitShare: share(mean(waits)),
    waitBand: waitBand(waits, doubt),
    bound: boundOf(profile, setting, whatIf, 1 / mean(steady.map(each => 1 / each)), mean(waits)),
    memory: memoryOf(profile, setting, whatIf),
  };
}

const ratesOver = (
  { ranks }: LoaderProfile,
  paces: readonly PassPace[],
  epochs: number | undefined,
  elements: number,
): number[] => paces.map(pace => ranks * rateOver(pace, epochs ?? Number.POSITIVE_INFINITY, elements));

function intervalOf(rates: readonly number[], doubt: number): Interval {
  const estimate = typical(rates);
  return {
    estimate,
    low: Math.min(estimate, ...rates) / doubt,
    high: Math.max(estimate, ...rates) * doubt,
    confidence: CONFIDENCE,
  };
}

/** Range of the share of waiting: steps keep their duration, and batches come faster or slower by the forecast's error. */
function waitBand(waits: readonly number[], doubt: number): LoaderForecast['waitBand'] {
  const busy = waits.map(wait => 1 - wait);
  return {
    low: share(1 - Math.min(1, Math.max(...busy) * doubt)),
    high: share(Math.max(0, 1 - Math.min(...busy) / doubt)),
  };
}

/** `elements` of a pass of one rank. */
function passTimes(
  paces: readonly PassPace[],
  rate: Interval,
  ranks: number,
  epochs: number | undefined,
  elements: number,
): PassTimes | undefined {
  if (!Number.isFinite(elements)) return undefined;
  const later = mean(paces.map(({ perElement }) => perElement)) * elements;
  const programOf = (epochs: number): PassTimes['program'] => {
    const all = ranks * epochs * elements * NS_PER_SECOND;
    return { epochs, time: { ...rate, estimate: all / rate.estimate, low: all / rate.high, high: all / rate.low } };
  };
  return {
    first: ns(later + mean(paces.map(({ once }) => once))),
    later: ns(later),
    program: epochs === undefined ? undefined : programOf(epochs),
  };
}

/** Recorded rate / rate that the model predicts for the recorded setting. */
export function ownError(profile: LoaderProfile): number {
  const { paces, elements } = replicate(profile, profile.setting, {});
  const ratio = profile.measured / typical(ratesOver(profile, paces, profile.epochs, elements));
  return Number.isFinite(ratio) ? ratio : 1;
}

/** Harmonic mean: by the mean duration of the passes, to which the few slow batches contribute. */
const typical = (rates: readonly number[]): number => 1 / mean(rates.map(rate => 1 / rate));

function replicate(profile: LoaderProfile, setting: LoaderSetting, whatIf: LoaderWhatIf) {
  const scale = scaleOf(profile, whatIf);
  const size = whatIf.batchSize ?? profile.batchSize;
  const pass = profile.passBatches / scale;
  const batches = batchesOf(pass, setting);
  const machine = machineFor(profile, whatIf);
  const { disk } = whatIf;
  const storage =
    disk === undefined || !(profile.askedPerBatch > 0)
      ? undefined
      : {
          bytes: profile.askedPerBatch * scale,
          rate: (readers: number) => bandwidthAt(disk, readers) / NS_PER_SECOND,
        };
  const run = (turn: number, warmUp: WarmUp): Simulated => {
    const doubt = doubtIn(turn);
    const alone = paceAmong(profile.machine, profile.busy, doubt);
    return simulate({
      setting,
      machine,
      contention: doubt,
      storage,
      batches,
      warmUp: asAlone(warmUp, alone),
      goesOn: batches < Math.round(pass),
      draw: drawFrom(profile, turn, { scale, step: whatIf.step, doubt, isWorker: setting.workers > 0, alone }),
    });
  };
  const turns = Array.from({ length: REPLICATIONS }, (_, turn) => turn);
  const starts = turns.map(turn => startOf(profile, setting, machine, doubtIn(turn)));
  const isKept = setting.workers === 0 || setting.persistent;
  // Workers of a later pass that were started for it are cold; the consumer never is again.
  const again: WarmUp = isKept ? NO_WARM_UP : { ...profile.warmUp, step: NO_WARM_UP.step };
  const firsts = turns.map(turn => run(turn, profile.warmUp));
  const laters = takesAsLong(again, profile.warmUp) ? firsts : turns.map(turn => run(turn, again));
  return {
    paces: laters.map((later, turn): PassPace => {
      const start = starts[turn] ?? 0;
      const inEach = isKept ? 0 : start;
      const cold = (firsts[turn]?.whole ?? later.whole) - later.whole;
      return { perElement: nsPerBatch(later, { pass, batches, start: inEach }) / size, once: cold + start - inEach };
    }),
    steady: laters.map(({ time, batches: settled }) => (profile.ranks * size * NS_PER_SECOND * settled) / time),
    waits: laters.map(({ waitShare }) => waitShare),
    start: mean(starts),
    elements: pass * size,
  };
}

/** Elements of a batch / elements of a recorded one. */
const scaleOf = ({ batchSize }: LoaderProfile, whatIf: LoaderWhatIf): number =>
  (whatIf.batchSize ?? batchSize) / batchSize;

/** Value of what was not recorded, within its range: the best, 0, in the first simulated pass, the worst, 1, in the last. */
const doubtIn = (turn: number): number => turn / (REPLICATIONS - 1);

/** A rank's part of the machine that the forecast is for. */
export const machineFor = ({ machine, ranks }: LoaderProfile, { cores }: LoaderWhatIf): Machine =>
  cores === undefined ? machine : withCores(machine, cores / ranks);

/**
 * Simulated batches of a pass: so many that filling the queue takes a slight part of them. Beyond them the pass continues at the same
 * throughput.
 */
const batchesOf = (pass: number, { workers, prefetch }: LoaderSetting): number =>
  Math.max(1, Math.min(Math.round(pass), Math.max(SIMULATED_BATCHES, Math.ceil((workers * prefetch) / SLIGHT))));

/**
 * Time to fork a process that has torch loaded and to end it, ns, and the most until it begins, for recordings without workers where nothing
 * was measured. Source: costs.py, 13 to 20 ms on two virtual cores of an Intel Xeon, quiet, torch 1.13, 17 November 2026.
 */
const USUAL_WORKER_NS = 1.5e7;

/** Time to start so many workers, and to end those that do not persist, ns. */
function startOf(profile: LoaderProfile, to: LoaderSetting, { cores }: Machine, doubt: number): number {
  const { workers, persistent } = to;
  if (workers === 0) return 0;
  const { workerCost, startMethod, untilFirst, setting } = profile;
  const isForked = startMethod === 'fork';
  const isKnown = !Number.isNaN(workerCost.each + workerCost.start);
  const guess = guessed(doubt);
  const usual: WorkerCost = {
    each: USUAL_WORKER_NS * guess,
    // A new process imports at most what the program did before its first pass.
    start: isForked ? USUAL_WORKER_NS * guess : Math.min(1, guess) * untilFirst,
  };
  const cost = isKnown ? workerCost : usual;
  // A process that imports everything again needs a core for it.
  const crowd = (count: number): number => (isForked ? 1 : Math.max(1, count / cores));
  return timeFor(cost, workers, persistent) + (cost.start * crowd(workers)) / crowd(isKnown ? setting.workers : 1);
}

/** Mean duration of a batch over a pass of which `batches` were simulated, ns. */
function nsPerBatch(
  { time, batches: settled, whole }: Simulated,
  { pass, batches, start }: { readonly pass: number; readonly batches: number; readonly start: number },
): number {
  if (!Number.isFinite(pass)) return time / settled;
  return (start + whole + ((pass - batches) * time) / settled) / pass;
}

/** Utilisation above which a resource is full: cores and storage are the bottleneck, memory does not suffice. */
const FULL = 1 - SLIGHT;

function boundOf(
  profile: LoaderProfile,
  setting: LoaderSetting,
  whatIf: LoaderWhatIf,
  rate: number,
  waiting: number,
): LoaderForecast['bound'] {
  const isAwaited = waiting >= SLIGHT;
  const scale = scaleOf(profile, whatIf);
  const batchesPerNs = rate / (profile.ranks * profile.batchSize * scale) / NS_PER_SECOND;
  const demand = (of: (preparing: Preparing) => number): number => mean(profile.preparing.map(of)) * scale;
  const machine = machineFor(profile, whatIf);
  const stepCpu = mean(profile.steps.map(({ cpu, threads, crowding }) => (cpu * threads) / crowding)) * scale;
  const { writtenShared, readShared } = profile.handOver;
  const shared = profile.setting.workers === 0 && setting.workers > 0 ? (writtenShared + readShared) * scale : 0;
  const busy = (demand(({ cpu }) => cpu) + stepCpu + shared) * batchesPerNs + machine.others;
  const isFull = setting.workers > 0 && busy > FULL * Math.min(machine.cores, (machine.physical + machine.cores) / 2);
  // A consumer that hardly waits may itself be short of cores.
  if (isFull && (isAwaited || machine.others > 0)) return 'cores';
  if (!isAwaited) return 'consumer';
  if (whatIf.disk !== undefined && profile.askedPerBatch > 0) {
    const most = bandwidthAt(whatIf.disk, Math.max(1, setting.workers)) / NS_PER_SECOND;
    if (profile.askedPerBatch * scale * batchesPerNs > FULL * most) return 'storage';
  }
  return setting.workers === 0 ? 'preparation' : 'workers';
}

/** Batches in flight beyond those ordered: one in the consumer's hands, one that is being pinned or received. */
const MORE_IN_FLIGHT = 2;

export function memoryOf(
  profile: LoaderProfile,
  { workers, prefetch }: LoaderSetting,
  whatIf: LoaderWhatIf = {},
): LoaderMemory {
  const inFlight = profile.ranks * (workers * prefetch + MORE_IN_FLIGHT);
  const shared = workers === 0 ? 0 : inFlight * profile.batchBytes * scaleOf(profile, whatIf);
  const own = workers === 0 ? 0 : profile.ranks * workers * profile.workerMemory;
  const added = profile.ranks * Math.max(0, workers - profile.setting.workers);
  const more = added * (profile.workerMemory || 0) + (shared || 0);
  const room = whatIf.memory ?? profile.memoryAvailable;
  const short = shared > FULL * profile.sharedSpace ? 'shared-memory' : more > FULL * room ? 'memory' : undefined;
  return { sharedMemory: bytes(shared), workers: bytes(own), short };
}

type Condition = (profile: LoaderProfile, whatIf: LoaderWhatIf) => boolean;

const knowsPasses = ({ passBatches }: LoaderProfile): boolean => Number.isFinite(passBatches);

/** Assumptions of a forecast beyond the model itself, with their conditions. */
const ASSUMPTIONS = {
  'few-batches': ({ preparing }) => preparing.length < ENOUGH_BATCHES,
  'epochs-unknown': (profile, { epochs = profile.epochs }) => epochs === undefined && knowsPasses(profile),
  'start-unknown': profile => Number.isNaN(profile.workerCost.start) && knowsPasses(profile),
  'storage-keeps-up': (_, { disk }) => disk === undefined,
  'hand-over-guessed': ({ handOver }) => handOver.isGuessed,
  'pool-in-worker': ({ preparing }) =>
    mean(preparing.map(each => each.pooled)) > SLIGHT * mean(preparing.map(each => each.cpu)),
  'team-beside-workers': ({ steps }) => mean(steps.map(({ threads }) => threads)) > TEAM,
  'step-grows-with-batch': (_, { batchSize, step }) => batchSize !== undefined && step === undefined,
  'second-threads': ({ machine }) => machine.paces === undefined && machine.physical < machine.cores,
  'others-stay': ({ machine }) => machine.others > SLIGHT * machine.cores,
  'memory-unknown': ({ batchBytes, workerMemory, setting }) =>
    Number.isNaN(batchBytes) || (setting.workers > 0 && Number.isNaN(workerMemory)),
} as const satisfies Readonly<Record<string, Condition>>;

export type LoaderAssumption = keyof typeof ASSUMPTIONS;

/** Assumptions of forecasts from this recording. */
export const assumptionsOf = (profile: LoaderProfile, whatIf: LoaderWhatIf = {}): LoaderAssumption[] =>
  (Object.keys(ASSUMPTIONS) as LoaderAssumption[]).filter(name => ASSUMPTIONS[name](profile, whatIf));
