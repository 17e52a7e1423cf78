import { type Interval, mean } from '../../math/statistics.ts';
import { bandwidthAt, type DiskCurve } from '../../model/disk.ts';
import { type Bytes, bytes, type Cores, NS_PER_SECOND, type Ns, ns, type Share, share } from '../../model/units.ts';
import { type Machine, paceAmong, TEAM, withCores } from './machine.ts';
import { askedFor, type PassPace, rateOver, type WorkerCost } from './passes.ts';
import type { LoaderProfile, Preparing } from './profile.ts';
import { drawFrom, guessed, REPLICATIONS } from './resample.ts';
import type { LoaderSetting } from './setting.ts';
import { type Simulated, simulate } from './simulate.ts';
import { asAlone, NO_WARM_UP, takesAsLong, type WarmUp } from './warm-up.ts';

/** What is to be different; the rest is as recorded. */
export interface LoaderWhatIf {
  readonly cores?: Cores | undefined;
  /** Time of the consumer's own work on a batch. */
  readonly step?: Ns | undefined;
  readonly batchSize?: number | undefined;
  readonly disk?: DiskCurve | undefined;
  readonly memory?: Bytes | undefined;
  /** Passes that the program makes. */
  readonly epochs?: number | undefined;
}

/** What a forecast takes for granted beyond the model itself. */
export type LoaderAssumption =
  | 'storage-keeps-up'
  | 'hand-over-guessed'
  | 'pool-in-worker'
  | 'team-beside-workers'
  | 'step-grows-with-batch'
  | 'second-threads'
  | 'others-stay'
  | 'few-batches'
  | 'epochs-unknown'
  | 'start-unknown'
  | 'memory-unknown';

/** What batches and workers take of memory; NaN where the recording does not say. */
export interface LoaderMemory {
  readonly sharedMemory: Bytes;
  readonly workers: Bytes;
  /** It does not fit: of which of the two there is too little. */
  readonly short: 'shared-memory' | 'memory' | undefined;
}

/** Of one rank. */
export interface PassTimes {
  /** The first, with the start of the workers, and any other. */
  readonly first: Ns;
  readonly later: Ns;
  /** So many, all together; undefined where nobody knows how many there are. */
  readonly program: { readonly epochs: number; readonly time: Interval } | undefined;
}

export interface LoaderForecast {
  readonly setting: LoaderSetting;
  /**
   * Elements per second of all ranks over the whole program, the start of its workers included: in every pass, or once where
   * they stay. Where nobody knows how many passes there are, what is paid once does not count; where nobody knows how long a
   * pass is, no start does.
   */
  readonly rate: Interval;
  /** The same once every worker delivers, until the last batches. */
  readonly steady: Interval;
  /** What it takes to start the workers, and to end them unless they stay. */
  readonly start: Ns;
  /** What passes take; undefined where nobody knows how long they are. */
  readonly passes: PassTimes | undefined;
  /** Part of the time that the consumer waits, once started. */
  readonly waitShare: Share;
  readonly waitBand: { readonly low: Share; readonly high: Share };
  /** What binds: the consumer, the cores, storage, or the workers there are. */
  readonly bound: 'consumer' | 'cores' | 'storage' | 'workers' | 'preparation';
  readonly memory: LoaderMemory;
}

const MOST_BATCHES = 400;
const BATCHES_PER_WORKER = 12;
/** Fewer recorded batches than this make a forecast a guess. */
const FEW = 20;
const CONFIDENCE = 0.9;
/**
 * One run differs from the next: sleep hardly, work by the clock of its cores, by where it lies in memory and by neighbours on a shared machine.
 * Set by recordings of six jobs against runs of the same a minute later.
 */
const ALLOWANCE_ASLEEP = 0.03;
const ALLOWANCE_AT_WORK = 0.12;
/** Other programs do not do the same all the time: so much more where they want all cores. */
const ALLOWANCE_BESIDE_OTHERS = 0.1;

/** `waiting`: part of the time that is preparation's, not the step's. */
function allowanceFor({ machine, preparing, steps }: LoaderProfile, waiting: number): number {
  const atWork = waiting * workShare(preparing) + (1 - waiting) * workShare(steps);
  return (
    ALLOWANCE_ASLEEP +
    (ALLOWANCE_AT_WORK - ALLOWANCE_ASLEEP) * atWork +
    ALLOWANCE_BESIDE_OTHERS * Math.min(1, machine.others / machine.cores)
  );
}

/** Part of the time at work, not asleep. */
function workShare(times: readonly { readonly cpu: number; readonly asleep: number }[]): number {
  const cpu = mean(times.map(each => each.cpu));
  const asleep = mean(times.map(each => each.asleep));
  return cpu + asleep > 0 ? cpu / (cpu + asleep) : 0;
}

/** Throughput of a loader under another setting, by simulation; the same answer for the same recording. */
export function forecastLoader(
  profile: LoaderProfile,
  setting: LoaderSetting,
  whatIf: LoaderWhatIf = {},
  offBy: number = ownError(profile),
): LoaderForecast {
  const { paces, steady, waits, start, elements } = replicate(profile, setting, whatIf);
  // What the model is off by at the recorded setting it may be off by elsewhere, to either side.
  const doubt = (1 + allowanceFor(profile, mean(waits))) * Math.exp(Math.abs(Math.log(offBy)));
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

/** Steps stay as long as they are: where batches come faster or slower by what the forecast may be off, the rest of the time is waiting. */
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
  const all = epochs === undefined ? undefined : ranks * epochs * elements * NS_PER_SECOND;
  return {
    first: ns(later + mean(paces.map(({ once }) => once))),
    later: ns(later),
    program:
      epochs === undefined || all === undefined
        ? undefined
        : {
            epochs,
            time: { ...rate, estimate: all / rate.estimate, low: all / rate.high, high: all / rate.low },
          },
  };
}

/** How the recorded rate compares with what the model makes of the recorded setting. */
export function ownError(profile: LoaderProfile): number {
  const { paces, elements } = replicate(profile, profile.setting, {});
  const ratio = profile.measured / typical(ratesOver(profile, paces, profile.epochs, elements));
  return Number.isFinite(ratio) ? ratio : 1;
}

/** By the mean time of the passes, in which few slow batches have their part. */
const typical = (rates: readonly number[]): number => 1 / mean(rates.map(rate => 1 / rate));

function replicate(profile: LoaderProfile, setting: LoaderSetting, whatIf: LoaderWhatIf) {
  const size = whatIf.batchSize ?? profile.batchSize;
  const scale = size / profile.batchSize;
  const pass = profile.passBatches / scale;
  const batches = batchesOf(pass, setting.workers);
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
      suffering: doubt,
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

/** What is not known is about the best that it may be in the first pass that is simulated, and the worst in the last: each stands for an eighth. */
const doubtIn = (turn: number): number => (turn + 0.5) / REPLICATIONS;

/** What a rank has of the machine that was asked for. */
export const machineFor = ({ machine, ranks }: LoaderProfile, { cores }: LoaderWhatIf): Machine =>
  cores === undefined ? machine : withCores(machine, cores / ranks);

/** As long as a pass is, within reason: what is beyond goes on as before. */
const batchesOf = (pass: number, workers: number): number =>
  Math.max(1, Math.min(Math.round(pass), Math.max(MOST_BATCHES, BATCHES_PER_WORKER * workers)));

/** Where nobody started workers: what it takes to fork a process that has torch loaded, and until it begins, in ns. */
const USUAL_WORKER_COST: WorkerCost = { each: 1e7, start: 3e7 };

/** What it takes to start so many workers, and to end those that do not stay. */
function startOf(
  profile: LoaderProfile,
  { workers, persistent }: LoaderSetting,
  { cores }: Machine,
  doubt: number,
): number {
  if (workers === 0) return 0;
  const { workerCost, startMethod, untilFirst, setting } = profile;
  const isForked = startMethod === 'fork';
  const isKnown = !Number.isNaN(workerCost.each + workerCost.start);
  const guess = guessed(doubt);
  const usual: WorkerCost = {
    each: USUAL_WORKER_COST.each * guess,
    // A new process imports what the program did before its first pass, and that at most.
    start: isForked ? USUAL_WORKER_COST.start * guess : Math.min(1, guess) * untilFirst,
  };
  const cost = isKnown ? workerCost : usual;
  // Whoever imports everything anew needs a core for it.
  const crowd = (count: number): number => (isForked ? 1 : Math.max(1, count / cores));
  return askedFor(cost, workers, persistent) + (cost.start * crowd(workers)) / crowd(isKnown ? setting.workers : 1);
}

/** Over a pass of which `batches` were simulated. */
function nsPerBatch(
  { time, batches: settled, whole }: Simulated,
  { pass, batches, start }: { readonly pass: number; readonly batches: number; readonly start: number },
): number {
  if (!Number.isFinite(pass)) return time / settled;
  return (start + whole + ((pass - batches) * time) / settled) / pass;
}

/** Above this part of its time at work, something is what binds. */
const BUSY = 0.92;

function boundOf(
  profile: LoaderProfile,
  setting: LoaderSetting,
  whatIf: LoaderWhatIf,
  rate: number,
  waiting: number,
): LoaderForecast['bound'] {
  const isAwaited = waiting >= 1 - BUSY;
  const scale = (whatIf.batchSize ?? profile.batchSize) / profile.batchSize;
  const batchesPerNs = rate / (profile.ranks * profile.batchSize * scale) / NS_PER_SECOND;
  const demand = (of: (preparing: Preparing) => number): number => mean(profile.preparing.map(of)) * scale;
  const machine = machineFor(profile, whatIf);
  const stepCpu = mean(profile.steps.map(({ cpu, threads, crowding }) => (cpu * threads) / crowding)) * scale;
  const { writtenShared, readShared } = profile.handOver;
  const shared = profile.setting.workers === 0 && setting.workers > 0 ? (writtenShared + readShared) * scale : 0;
  const busy = (demand(({ cpu }) => cpu) + stepCpu + shared) * batchesPerNs + machine.others;
  const isFull = setting.workers > 0 && busy > BUSY * Math.min(machine.cores, (machine.physical + machine.cores) / 2);
  // A consumer that hardly waits may itself be short of cores.
  if (isFull && (isAwaited || machine.others > 0)) return 'cores';
  if (!isAwaited) return 'consumer';
  if (whatIf.disk !== undefined && profile.askedPerBatch > 0) {
    const most = bandwidthAt(whatIf.disk, Math.max(1, setting.workers)) / NS_PER_SECOND;
    if (profile.askedPerBatch * scale * batchesPerNs > BUSY * most) return 'storage';
  }
  return setting.workers === 0 ? 'preparation' : 'workers';
}

/** Batches in flight beyond those ordered: one in the consumer's hands, one that is being pinned or received. */
const MORE_IN_FLIGHT = 2;
/** Of what there is, this much is left alone. */
const SPARE = 0.1;

export function memoryOf(
  profile: LoaderProfile,
  { workers, prefetch }: LoaderSetting,
  whatIf: LoaderWhatIf = {},
): LoaderMemory {
  const scale = (whatIf.batchSize ?? profile.batchSize) / profile.batchSize;
  const inFlight = workers === 0 ? 0 : profile.ranks * (workers * prefetch + MORE_IN_FLIGHT);
  const shared = workers === 0 ? 0 : inFlight * profile.batchBytes * scale;
  const own = workers === 0 ? 0 : profile.ranks * workers * profile.workerMemory;
  const added = profile.ranks * Math.max(0, workers - profile.setting.workers);
  const more = added * (profile.workerMemory || 0) + (shared || 0);
  const room = whatIf.memory ?? profile.memoryAvailable;
  const short =
    shared > (1 - SPARE) * profile.sharedSpace ? 'shared-memory' : more > (1 - SPARE) * room ? 'memory' : undefined;
  return { sharedMemory: bytes(shared), workers: bytes(own), short };
}

/** What forecasts from this recording rest on. */
export function assumptionsOf(profile: LoaderProfile, whatIf: LoaderWhatIf = {}): LoaderAssumption[] {
  const { handOver, preparing, steps, machine, batchBytes, workerMemory, setting } = profile;
  const pooled = mean(preparing.map(each => each.pooled));
  const cpu = mean(preparing.map(each => each.cpu));
  return [
    ...(preparing.length < FEW ? (['few-batches'] as const) : []),
    ...((whatIf.epochs ?? profile.epochs) === undefined && Number.isFinite(profile.passBatches)
      ? (['epochs-unknown'] as const)
      : []),
    ...(Number.isNaN(profile.workerCost.start) && Number.isFinite(profile.passBatches)
      ? (['start-unknown'] as const)
      : []),
    ...(whatIf.disk === undefined ? (['storage-keeps-up'] as const) : []),
    ...(handOver.isGuessed ? (['hand-over-guessed'] as const) : []),
    ...(pooled > 0.1 * cpu ? (['pool-in-worker'] as const) : []),
    ...(mean(steps.map(({ threads }) => threads)) > TEAM ? (['team-beside-workers'] as const) : []),
    ...(whatIf.batchSize !== undefined && whatIf.step === undefined ? (['step-grows-with-batch'] as const) : []),
    ...(machine.paces === undefined && machine.physical < machine.cores ? (['second-threads'] as const) : []),
    ...(machine.others > 0.1 ? (['others-stay'] as const) : []),
    ...(Number.isNaN(batchBytes) || (setting.workers > 0 && Number.isNaN(workerMemory))
      ? (['memory-unknown'] as const)
      : []),
  ];
}
