import { type Batch, consumeTime, isConsumed, preparationTime } from '../../analysis/batches/batch.ts';
import type { BatchFacts } from '../../analysis/batches/fold.ts';
import type { MachineUse, ProcessUse } from '../../analysis/batches/machine-use.ts';
import { groupedBy } from '../../math/groups.ts';
import { ratio } from '../../math/ratio.ts';
import { median } from '../../math/statistics.ts';
import { sumOf } from '../../math/totals.ts';
import type { Host } from '../../model/host.ts';
import type { PoolShares } from '../../model/machine-costs.ts';
import { FEWEST_BATCHES } from './blocks.ts';
import { type HandOver, handOvers } from './hand-over.ts';
import { type Machine, machineOf, shareOf, teamCost } from './machine.ts';
import {
  measuredPace,
  type PassPace,
  passLength,
  rateOver,
  ratesOfParts,
  recordedPasses,
  type WorkerCost,
  workerCostOf,
} from './passes.ts';
import { type LoaderSetting, type StartMethod, settingOf, startMethodOf, warmUp } from './setting.ts';
import { excessOf, firstBatches, type WarmUp } from './warm-up.ts';

/** Times of preparing one batch, ns: CPU of its thread, and time asleep (storage, network, a lock). */
export interface Preparing {
  readonly cpu: number;
  readonly asleep: number;
  /** CPU time of a thread pool beside it; a worker has no pool and does that work itself. */
  readonly pooled: number;
}

/**
 * Times of the consumer's step on one batch, ns: `threads` are busy for `cpu` each, then `asleep`, waiting for a device included.
 * `device`: duration on the device, part of it after the host went on; 0 where no device was timed. `crowding`: the most that
 * preparers on their cores may have slowed down the threads of a team, as slowed / alone.
 */
export interface Step {
  readonly cpu: number;
  readonly threads: number;
  readonly asleep: number;
  readonly device: number;
  readonly crowding: number;
}

/** A loader as one recording shows it: everything a forecast is made from. */
export interface LoaderProfile {
  readonly loader: string;
  readonly setting: LoaderSetting;
  readonly preparing: readonly Preparing[];
  readonly steps: readonly Step[];
  readonly handOver: HandOver;
  readonly warmUp: WarmUp;
  /** Elements of a full batch. */
  readonly batchSize: number;
  /** Bytes of a full batch; NaN where not measured. */
  readonly batchBytes: number;
  /** Bytes asked from storage per batch. */
  readonly askedPerBatch: number;
  /** Batches of a whole pass; infinite where unknown. */
  readonly passBatches: number;
  readonly workerCost: WorkerCost;
  /** Start method of its workers, or of those it would have. */
  readonly startMethod: StartMethod;
  /** From the start of the run to that of its first pass, ns: an upper bound for a worker that imports the program again. */
  readonly untilFirst: number;
  /** Recorded passes of each rank. */
  readonly passes: number;
  /** Passes that the program makes; undefined where the recording ended before it did. */
  readonly epochs: number | undefined;
  /** Processes that consume at the same time, each with a loader of its own: the ranks of a training. They share the machine. */
  readonly ranks: number;
  /** Duration of passes of one rank. */
  readonly pace: PassPace;
  /** Elements per second of all ranks, over the program's passes. */
  readonly measured: number;
  /** The same of consecutive parts of the recording: its variation. */
  readonly measuredParts: readonly number[];
  readonly machine: Machine;
  /** Cores of the whole machine that other programs used; undefined where not recorded. */
  readonly othersUsed: number | undefined;
  /** Useful work / CPU time of a thread pool; undefined where not measured. */
  readonly pool: PoolShares | undefined;
  /** Mean number of busy threads while batches flowed, other programs' included, up to the number of cores: each slows the others down. */
  readonly busy: number;
  /** Private memory of a worker, bytes; NaN where not recorded. */
  readonly workerMemory: number;
  /** Memory and space in /dev/shm still available, bytes; NaN where not recorded. */
  readonly memoryAvailable: number;
  readonly sharedSpace: number;
}

export interface ProfileSource {
  readonly facts: BatchFacts;
  readonly use: MachineUse;
  readonly host: Host;
  /** The recording ended before the program did. */
  readonly isCut: boolean;
}

/** Recorded throughput over so many passes, elements per second; over those that the program makes where undefined. */
export const measuredOver = (
  { measured, pace, ranks, passBatches, batchSize }: LoaderProfile,
  epochs: number | undefined,
): number => (epochs === undefined ? measured : ranks * rateOver(pace, epochs, passBatches * batchSize));

/** Undefined where the recording has too few batches of the loader. */
export function profileOf(loader: string, source: ProfileSource): LoaderProfile | undefined {
  const { facts, host, isCut } = source;
  const consumed = facts.batches
    .filter(batch => batch.loader === loader && isConsumed(batch) && preparationTime(batch) > 0)
    .sort((a, b) => a.waitStart - b.waitStart);
  const batchSize = Math.max(0, ...consumed.map(batch => batch.elements));
  // The last batch of a pass may be a smaller one.
  const full = consumed.filter(batch => batch.elements === batchSize);
  const settings = facts.loaders.get(loader)?.settings;
  const setting = settingOf(settings, full);
  const firsts = firstBatches(full);
  const begun = full.slice(warmUp(full.length));
  const steady = begun.filter(batch => !firsts.has(batch));
  const stepped = begun.filter(batch => consumeTime(batch) >= 0);
  if (steady.length < FEWEST_BATCHES || stepped.length < 2 || batchSize === 0) return undefined;
  // Workers are started until the first batch is there: that is no work on batches.
  const from = consumed[0]?.waitEnd ?? 0;
  const to = consumed.at(-1)?.waitEnd ?? 0;
  const use = withBatches(source.use, consumed, setting.workers);
  const ofOthers = shareOfOthers(host, use, from, to);
  const pace = paceOf(steady, ofOthers);
  const batchBytes = median(full.map(batch => batch.bytes).filter(Number.isFinite));
  const workers = new Set(consumed.map(batch => batch.preparer));
  const itsProcesses = use.processes.filter(({ lane }) => workers.has(lane.pid));
  const passes = recordedPasses(consumed, facts, isCut);
  const ranks = ranksOf(consumed);
  const machine = shareOf(machineOf(host, use, from, to, pace), ranks);
  // Spinning threads of a pool are no load, and they are there in a forecast without workers, too.
  const busyOwn = setting.workers === 0 ? 1 : (use.own(from, to) || 0) / ranks;
  const beside = inPreparation(passes.map(pass => pass.batches)) + machine.others;
  const teamCostAt = (team: number): number => teamCost(team, team + beside, machine.cores);
  const length = settings?.length;
  // The ranks of a training divide a dataset.
  const passBatches = passLength(passes, length ? Math.floor(length / batchSize / ranks) : undefined);
  const workerCost = workerCostOf(passes, setting, host.costs?.worker);
  const passSetting = { ...setting, length: passBatches, workerCost };
  const passesPerRank = Math.max(1, Math.round(passes.length / ranks));
  const epochs = isCut ? undefined : passesPerRank;
  const passPace = measuredPace(passes, passSetting);
  const measured = ranks * rateOver(passPace, epochs ?? Number.POSITIVE_INFINITY, passBatches * batchSize);
  const poolable = poolableOf(loader, facts);
  const preparingOf = (batches: readonly Batch[]) => preparings(batches, setting.workers, ofOthers, poolable);
  const stepsOf = (batches: readonly Batch[]) => steps(batches, setting.workers, ofOthers, teamCostAt);
  const [preparing, stepTimes] = [preparingOf(steady), stepsOf(stepped)];
  const firstSteps = full.slice(0, 1).filter(batch => consumeTime(batch) >= 0);
  return {
    loader,
    setting,
    preparing,
    steps: stepTimes,
    warmUp: {
      preparing: excessOf(preparingOf([...firsts]), preparing),
      step: excessOf(stepsOf(firstSteps), stepTimes),
    },
    handOver: handOvers(steady, setting.workers, { bytes: batchBytes, pace, costs: host.costs?.worker }),
    batchSize,
    batchBytes,
    askedPerBatch: sumOf(itsProcesses, ({ asked }) => asked) / consumed.length,
    passBatches,
    workerCost: setting.workers === 0 && host.costs?.worker !== undefined ? host.costs.worker : workerCost,
    startMethod: startMethodOf(settings, host, facts.process?.python ?? undefined),
    untilFirst: Math.min(...passes.map(({ begin }) => begin)),
    passes: passesPerRank,
    epochs,
    ranks,
    pace: passPace,
    measured,
    measuredParts: ratesOfParts(passes, measured, passSetting),
    machine,
    othersUsed: usedByOthers(host, use, from, to),
    pool: host.costs?.pool,
    busy: Math.max(1, Math.min(machine.cores, busyOwn + machine.others)),
    workerMemory: setting.workers === 0 ? Number.NaN : workerMemoryOf(itsProcesses),
    memoryAvailable: Number.isNaN(use.memoryAvailable) ? host.memoryUsable || Number.NaN : use.memoryAvailable,
    sharedSpace: use.sharedSpace,
  };
}

/** Cores that other programs used. Under a limit of its own, others' use of the machine does not count. */
function usedByOthers(host: Host, use: MachineUse, from: number, to: number): number | undefined {
  const all = use.all(from, to);
  return host.coresLimit === 'none' && all > 0 ? Math.max(0, all - use.own(from, to)) : undefined;
}

/**
 * The same use, where the program used at least the CPU time of its batches: processes are counted twice a second, which misses much of
 * the workers' CPU time in a program of a second or two, and would make it other programs'.
 */
function withBatches(use: MachineUse, batches: readonly Batch[], workers: number): MachineUse {
  return {
    ...use,
    own: (from, to) => {
      const consumed = batches.filter(batch => batch.waitStart >= from);
      // Without workers the consumer's CPU time during a wait is that of the preparation.
      const prepared = workers === 0 ? [] : batches.filter(batch => batch.prepareStart >= from);
      const cpu =
        sumOf(consumed, ({ waitCpu }) => waitCpu || 0) +
        sumOf(consumed, ({ consumeCpu }) => consumeCpu || 0) +
        sumOf(prepared, batch => batch.cpu || 0);
      return Math.max(use.own(from, to) || 0, cpu / (to - from));
    },
  };
}

/** CPU time of other programs / CPU time of all; 0 where not recorded. */
function shareOfOthers(host: Host, use: MachineUse, from: number, to: number): number {
  const others = usedByOthers(host, use, from, to);
  return others === undefined ? 0 : Math.min(1, others / use.all(from, to));
}

/**
 * Part of the queueing for a core that recurs with every sleep, however many workers there are: other programs are at work when
 * a thread wakes up. The rest is contention among the program's own threads, which is simulated.
 */
const wakingPart = (cpu: number, asleep: number, ofOthers: number): number =>
  asleep > 0 ? (ofOthers * asleep) / (cpu + asleep) : 0;

/**
 * Upper bound of a pool's work for the preparing thread / that thread's own CPU time. A pool takes over parts of torch's
 * operations; steps that open and decode files have none of them.
 */
function poolableOf(loader: string, facts: BatchFacts): number {
  const { threads } = facts.process ?? {};
  const times = [...(facts.operators.get(loader) ?? [])];
  const decoding = times.filter(([operator]) => facts.operatorFacts.get(operator)?.traits.decodes === true);
  const others = ratio(
    sumOf(decoding, ([, { self }]) => self),
    sumOf(times, ([, { self }]) => self),
  );
  return Math.max(0, (threads ?? Number.POSITIVE_INFINITY) - 1) * (1 - others);
}

/** CPU time and queueing of work on a batch, ns. Batches too cheap to be metered divide their time like those that were. */
function meter(
  batches: readonly Batch[],
  time: (batch: Batch) => number,
  cpu: 'cpu' | 'consumeCpu',
  queued: 'runDelay' | 'consumeQueued',
): (batch: Batch) => Readonly<Record<'cpu' | 'queued', number>> {
  const metered = batches.filter(batch => batch[cpu] >= 0);
  const whole = sumOf(metered, time);
  const cpuPart = whole > 0 ? sumOf(metered, batch => batch[cpu]) / whole : 1;
  const queuedPart = whole > 0 ? sumOf(metered, batch => batch[queued]) / whole : 0;
  return batch =>
    batch[cpu] >= 0
      ? { cpu: batch[cpu], queued: batch[queued] }
      : { cpu: time(batch) * cpuPart, queued: time(batch) * queuedPart };
}

function preparings(batches: readonly Batch[], workers: number, ofOthers: number, poolable: number): Preparing[] {
  const metered = meter(batches, preparationTime, 'cpu', 'runDelay');
  return batches.map(batch => {
    const time = preparationTime(batch);
    const { cpu: spent, queued } = metered(batch);
    const cpu = Math.min(time, spent);
    // Without workers the consumer's process prepares during the wait: CPU time beyond its thread's is a pool's.
    const pooled = workers === 0 && batch.waitCpu > cpu ? Math.min(batch.waitCpu - cpu, poolable * cpu) : 0;
    const asleep = Math.max(0, time - cpu - queued);
    return { cpu, asleep: asleep + wakingPart(cpu, asleep, ofOthers) * Math.min(queued, time - cpu - asleep), pooled };
  });
}

/** Mean number of batches under preparation beside the consumer: 0 where it prepares them itself. */
function inPreparation(passes: readonly (readonly Batch[])[]): number {
  let [prepared, whole] = [0, 0];
  for (const pass of passes) {
    const beside = pass.filter(({ preparer, consumer }) => preparer !== consumer);
    prepared += sumOf(beside, preparationTime);
    whole += (pass.at(-1)?.waitEnd ?? 0) - (pass[0]?.waitStart ?? 0);
  }
  return ratio(prepared, whole);
}

/** Recorded steps; for a team that shared cores with preparers, with the slowdown that this may have caused. */
function steps(
  batches: readonly Batch[],
  workers: number,
  ofOthers: number,
  teamCostAt: (team: number) => number,
): Step[] {
  const metered = meter(batches, consumeTime, 'consumeCpu', 'consumeQueued');
  const usual = median(batches.map(batch => batch.deviceStep).filter(Number.isFinite)) || 0;
  return batches.map(batch => {
    const device = Number.isNaN(batch.deviceStep) ? usual : batch.deviceStep;
    const { cpu, queued } = metered(batch);
    const time = Math.max(0, consumeTime(batch) - queued);
    if (cpu <= time) {
      const waking = wakingPart(cpu, time - cpu, ofOthers) * Math.min(queued, consumeTime(batch) - time);
      return { cpu, threads: 1, asleep: time - cpu + waking, device, crowding: 1 };
    }
    // A pool has no work in a step of the device's: its threads still spin after the preparation.
    const threads = workers === 0 && device > 0 ? 1 : time > 0 ? cpu / time : 1;
    return { cpu: time, threads, asleep: 0, device, crowding: teamCostAt(threads) };
  });
}

/** Core time received / core time wanted by preparing threads, queueing upon waking left out. */
function paceOf(batches: readonly Batch[], ofOthers: number): number {
  const metered = batches.filter(batch => batch.cpu > 0);
  const cpu = sumOf(metered, batch => batch.cpu);
  const queued = sumOf(metered, batch => batch.runDelay);
  const asleep = Math.max(0, sumOf(metered, preparationTime) - cpu - queued);
  return cpu > 0 ? cpu / (cpu + (1 - wakingPart(cpu, asleep, ofOthers)) * queued) : 1;
}

/** Number of consumers at a time: Σ duration of each / duration of all together. */
function ranksOf(batches: readonly Batch[]): number {
  const spans = [...groupedBy(batches, ({ consumer }) => consumer).values()].map(own => ({
    from: own[0]?.waitStart ?? 0,
    to: own.at(-1)?.waitEnd ?? 0,
  }));
  const whole = Math.max(...spans.map(({ to }) => to)) - Math.min(...spans.map(({ from }) => from));
  const together = sumOf(spans, ({ from, to }) => to - from);
  return whole > 0 ? Math.max(1, Math.round(together / whole)) : 1;
}

/** Private memory of the largest: advice that runs out of memory would be wrong advice. */
function workerMemoryOf(processes: readonly ProcessUse[]): number {
  const known = processes.map(process => process.private).filter(Number.isFinite);
  return known.length === 0 ? Number.NaN : Math.max(...known);
}
