import { type Interval, mean } from '../../math/statistics.ts';
import { bandwidthAt, type DiskCurve } from '../../model/disk.ts';
import { type Bytes, bytes, type Cores, NS_PER_SECOND, type Ns, type Share, share } from '../../model/units.ts';
import { type Machine, TEAM, withCores } from './machine.ts';
import type { WorkerCost } from './passes.ts';
import type { LoaderProfile, Preparing } from './profile.ts';
import { drawFrom, REPLICATIONS } from './resample.ts';
import type { LoaderSetting } from './setting.ts';
import { type Simulated, simulate } from './simulate.ts';

/** What is to be different; the rest is as recorded. */
export interface LoaderWhatIf {
  readonly cores?: Cores | undefined;
  /** Time of the consumer's own work on a batch. */
  readonly step?: Ns | undefined;
  readonly batchSize?: number | undefined;
  readonly disk?: DiskCurve | undefined;
  readonly memory?: Bytes | undefined;
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
  | 'memory-unknown';

/** What batches and workers take of memory; NaN where the recording does not say. */
export interface LoaderMemory {
  readonly sharedMemory: Bytes;
  readonly workers: Bytes;
  /** It does not fit: of which of the two there is too little. */
  readonly short: 'shared-memory' | 'memory' | undefined;
}

export interface LoaderForecast {
  readonly setting: LoaderSetting;
  /** Elements per second of all ranks over a whole pass, the start of its workers included. */
  readonly rate: Interval;
  readonly waitShare: Share;
  /** What binds: the consumer, the cores, storage, or the workers there are. */
  readonly bound: 'consumer' | 'cores' | 'storage' | 'workers' | 'preparation';
  readonly memory: LoaderMemory;
}

const MOST_BATCHES = 400;
const BATCHES_PER_WORKER = 12;
/** What the second thread of a core adds to the first: from hardly anything to half, by what runs on it. */
const YIELD_LOW = 0.15;
const YIELD_HIGH = 0.45;
/** Fewer recorded batches than this make a forecast a guess. */
const FEW = 20;
const CONFIDENCE = 0.9;
/** One run differs from the next by where it lies in memory and what clock its cores have: set by measurements of two jobs. */
const ALLOWANCE = 0.05;
/** Other programs do not do the same all the time: so much more where they want all cores. */
const ALLOWANCE_BESIDE_OTHERS = 0.1;

const allowanceFor = ({ machine }: LoaderProfile): number =>
  ALLOWANCE + ALLOWANCE_BESIDE_OTHERS * Math.min(1, machine.others / machine.cores);
/**
 * Threads of a pool stay awake for a while after each piece of work, so their CPU says nothing. Of torchvision's transforms it
 * takes over parts of ToTensor and Normalize: 5 to 7 % of an image's preparation, with 2 threads as with 16.
 */
const MOST_POOLED = 0.15;

/** Throughput of a loader under another setting, by simulation; the same answer for the same recording. */
export function forecastLoader(
  profile: LoaderProfile,
  setting: LoaderSetting,
  whatIf: LoaderWhatIf = {},
  offBy: number = ownError(profile),
): LoaderForecast {
  const { rates, waits } = replicate(profile, setting, whatIf);
  // What the model is off by at the recorded setting it may be off by elsewhere, to either side.
  const doubt = (1 + allowanceFor(profile)) * Math.exp(Math.abs(Math.log(offBy)));
  const estimate = typical(rates);
  return {
    setting,
    rate: {
      estimate,
      low: Math.min(estimate, ...rates) / doubt,
      high: Math.max(estimate, ...rates) * doubt,
      confidence: CONFIDENCE,
    },
    waitShare: share(mean(waits)),
    bound: boundOf(profile, setting, whatIf, estimate, mean(waits)),
    memory: memoryOf(profile, setting, whatIf),
  };
}

/** How the recorded rate compares with what the model makes of the recorded setting. */
export function ownError(profile: LoaderProfile): number {
  const { rates } = replicate(profile, profile.setting, {});
  const ratio = profile.measured / typical(rates);
  return Number.isFinite(ratio) ? ratio : 1;
}

/** By the mean time of the passes, in which few slow batches have their part. */
const typical = (rates: readonly number[]): number => 1 / mean(rates.map(rate => 1 / rate));

function replicate(profile: LoaderProfile, setting: LoaderSetting, whatIf: LoaderWhatIf) {
  const size = whatIf.batchSize ?? profile.batchSize;
  const scale = size / profile.batchSize;
  const pass = profile.passBatches / scale;
  const batches = batchesOf(pass, setting.workers);
  const startUp = startUpOf(profile, setting);
  const machine = machineFor(profile, whatIf);
  const { disk } = whatIf;
  const storage =
    disk === undefined || !(profile.askedPerBatch > 0)
      ? undefined
      : {
          bytes: profile.askedPerBatch * scale,
          rate: (readers: number) => bandwidthAt(disk, readers) / NS_PER_SECOND,
        };
  const runs = Array.from({ length: REPLICATIONS }, (_, turn): Simulated => {
    const part = turn / (REPLICATIONS - 1);
    return simulate({
      setting,
      machine,
      yieldOfSecond: YIELD_LOW + part * (YIELD_HIGH - YIELD_LOW),
      storage,
      batches,
      goesOn: batches < Math.round(pass),
      draw: drawFrom(profile, turn, {
        scale,
        step: whatIf.step,
        pooledPart: part * MOST_POOLED,
        isWorker: setting.workers > 0,
      }),
    });
  });
  return {
    rates: runs.map(run => profile.ranks * size * NS_PER_SECOND * batchesPerNs(run, { pass, batches, startUp })),
    waits: runs.map(({ waitShare }) => waitShare),
  };
}

/** What a rank has of the machine that was asked for. */
export const machineFor = ({ machine, ranks }: LoaderProfile, { cores }: LoaderWhatIf): Machine =>
  cores === undefined ? machine : withCores(machine, cores / ranks);

/** As long as a pass is, within reason: what is beyond goes on as before. */
const batchesOf = (pass: number, workers: number): number =>
  Math.max(1, Math.min(Math.round(pass), Math.max(MOST_BATCHES, BATCHES_PER_WORKER * workers)));

/** Where nobody started workers: what it takes to fork a process that has torch loaded, and until it begins, in ns. */
const USUAL_WORKER_COST: WorkerCost = { each: 1e7, start: 3e7 };

/** What workers add to a pass before its first batch and after its last; those that stay do so once. */
function startUpOf({ workerCost, passes }: LoaderProfile, { workers, persistent }: LoaderSetting): number {
  if (workers === 0) return 0;
  const { each, start } = Number.isNaN(workerCost.each + workerCost.start) ? USUAL_WORKER_COST : workerCost;
  return (workers * each + start) / (persistent ? Math.max(1, passes) : 1);
}

/** Over a pass of which `batches` were simulated. */
function batchesPerNs(
  { time, batches: settled, whole }: Simulated,
  { pass, batches, startUp }: { readonly pass: number; readonly batches: number; readonly startUp: number },
): number {
  if (!Number.isFinite(pass)) return settled / time;
  return pass / (startUp + whole + ((pass - batches) * time) / settled);
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
  const stepCpu = mean(profile.steps.map(({ cpu, threads }) => cpu * threads)) * scale;
  const { isGuessed, writtenShared, readShared } = profile.handOver;
  const shared = isGuessed && setting.workers > 0 ? (writtenShared + readShared) * scale : 0;
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
    ...(whatIf.disk === undefined ? (['storage-keeps-up'] as const) : []),
    ...(handOver.isGuessed ? (['hand-over-guessed'] as const) : []),
    ...(pooled > 0.1 * cpu ? (['pool-in-worker'] as const) : []),
    ...(mean(steps.map(({ threads }) => threads)) > TEAM ? (['team-beside-workers'] as const) : []),
    ...(whatIf.batchSize !== undefined && whatIf.step === undefined ? (['step-grows-with-batch'] as const) : []),
    ...(machine.physical < machine.cores ? (['second-threads'] as const) : []),
    ...(machine.others > 0.1 ? (['others-stay'] as const) : []),
    ...(Number.isNaN(batchBytes) || (setting.workers > 0 && Number.isNaN(workerMemory))
      ? (['memory-unknown'] as const)
      : []),
  ];
}
