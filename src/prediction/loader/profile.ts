import { type Batch, consumeTime, isConsumed, preparationTime } from '../../analysis/batches/batch.ts';
import type { BatchFacts } from '../../analysis/batches/fold.ts';
import type { MachineUse, ProcessUse } from '../../analysis/batches/machine-use.ts';
import { median } from '../../math/statistics.ts';
import type { Host } from '../../model/host.ts';
import type { PoolShares } from '../../model/machine-costs.ts';
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

/** What preparing one batch takes: CPU of its thread, and time asleep (storage, network, a lock), in ns. */
export interface Preparing {
  readonly cpu: number;
  readonly asleep: number;
  /** CPU that a pool of threads spent beside it; a worker has no pool and does it itself. */
  readonly pooled: number;
}

/**
 * What the consumer does with one batch: so many threads busy for `cpu` ns each, then `asleep`, waiting for a device included.
 * The device itself works for `device`, part of it after the host went on; 0 where it was not asked. Threads of a team may have been held up
 * by preparers on their cores, by `crowding` at most.
 */
export interface Step {
  readonly cpu: number;
  readonly threads: number;
  readonly asleep: number;
  readonly device: number;
  readonly crowding: number;
}

/** What one recording says about a loader, to forecast from. */
export interface LoaderProfile {
  readonly loader: string;
  readonly setting: LoaderSetting;
  readonly preparing: readonly Preparing[];
  readonly steps: readonly Step[];
  readonly handOver: HandOver;
  readonly warmUp: WarmUp;
  /** Elements of a full batch. */
  readonly batchSize: number;
  /** Bytes of one; NaN where nobody measured them. */
  readonly batchBytes: number;
  /** Bytes asked from storage per batch. */
  readonly askedPerBatch: number;
  /** Batches of a whole pass; without end where nobody knows. */
  readonly passBatches: number;
  readonly workerCost: WorkerCost;
  /** How its workers are started, or would be. */
  readonly startMethod: StartMethod;
  /** From the beginning of the run to that of its first pass: a program that is started anew for a worker takes no longer. */
  readonly untilFirst: number;
  /** Passes of each rank that were recorded. */
  readonly passes: number;
  /** How many the program makes; undefined where the recording ended before it did. */
  readonly epochs: number | undefined;
  /** Processes that consume at the same time, each with a loader of its own: the ranks of a training. They share the machine. */
  readonly ranks: number;
  /** What passes of one rank took. */
  readonly pace: PassPace;
  /** Elements per second of all ranks, over the program's passes. */
  readonly measured: number;
  /** The same of parts of the recording, one after the other: how much it varies. */
  readonly measuredParts: readonly number[];
  readonly machine: Machine;
  /** Cores of the whole machine that other programs used; undefined where that was not counted. */
  readonly othersUsed: number | undefined;
  /** What of a pool's CPU was work, where that was measured. */
  readonly pool: PoolShares | undefined;
  /** Threads that were busy at a time while batches flowed, other programs' included, as far as there are cores: each slows the others down. */
  readonly busy: number;
  /** Bytes of memory that a worker has to itself; NaN where nobody said. */
  readonly workerMemory: number;
  /** What may still be had of memory and of /dev/shm; NaN where nobody said. */
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

/** Elements per second over so many passes; over those that the program makes where that is undefined. */
export const measuredOver = (
  { measured, pace, ranks, passBatches, batchSize }: LoaderProfile,
  epochs: number | undefined,
): number => (epochs === undefined ? measured : ranks * rateOver(pace, epochs, passBatches * batchSize));

/** Undefined where the recording has too little of it. */
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
  if (steady.length < 3 || stepped.length < 2 || batchSize === 0) return undefined;
  const known = (values: readonly number[]): number => {
    const there = values.filter(value => Number.isFinite(value));
    return there.length === 0 ? Number.NaN : median(there);
  };
  // Until the first batch is there, workers are started: that is no work on batches.
  const from = consumed[0]?.waitEnd ?? 0;
  const to = consumed.at(-1)?.waitEnd ?? 0;
  const use = withBatches(source.use, consumed, setting.workers);
  const ofOthers = shareOfOthers(host, use, from, to);
  const pace = paceOf(steady, ofOthers);
  const batchBytes = known(full.map(batch => batch.bytes));
  const workers = new Set(consumed.map(batch => batch.preparer));
  const itsProcesses = use.processes.filter(({ lane }) => workers.has(lane.pid));
  const passes = recordedPasses(consumed, facts, isCut);
  const ranks = ranksOf(consumed);
  const machine = shareOf(machineOf(host, use, from, to, pace), ranks);
  // Threads of a pool that are awake without work are no load, and there where no workers are forecast too.
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
  const preparing = preparings(steady, setting.workers, { ofOthers, poolable });
  const stepTimes = steps(stepped, setting.workers, { ofOthers, teamCostAt });
  const firstSteps = full.slice(0, 1).filter(batch => consumeTime(batch) >= 0);
  return {
    loader,
    setting,
    preparing,
    steps: stepTimes,
    warmUp: {
      preparing: excessOf(preparings([...firsts], setting.workers, { ofOthers, poolable }), preparing),
      step: excessOf(steps(firstSteps, setting.workers, { ofOthers, teamCostAt }), stepTimes),
    },
    handOver: handOvers(steady, setting.workers, { bytes: batchBytes, pace, costs: host.costs?.worker }),
    batchSize,
    batchBytes,
    askedPerBatch: itsProcesses.reduce((sum, { asked }) => sum + asked, 0) / consumed.length,
    passBatches,
    workerCost: setting.workers === 0 && host.costs?.worker !== undefined ? host.costs.worker : workerCost,
    startMethod: startMethodOf(settings, host, facts.python),
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

/** Beside a limit of its own, what others use of the machine does not count. */
function usedByOthers(host: Host, use: MachineUse, from: number, to: number): number | undefined {
  const all = use.all(from, to);
  return host.coresLimit === 'none' && all > 0 ? Math.max(0, all - use.own(from, to)) : undefined;
}

/**
 * The same, where the program used at least what its batches say: processes are counted twice a second, which in a program of a second or two loses much
 * of what workers did, and would make it other programs' work.
 */
function withBatches(use: MachineUse, batches: readonly Batch[], workers: number): MachineUse {
  return {
    ...use,
    own: (from, to) => {
      const sum = (of: readonly Batch[], cpu: (batch: Batch) => number): number =>
        of.reduce((all, batch) => all + (cpu(batch) || 0), 0);
      const consumed = batches.filter(batch => batch.waitStart >= from);
      // Without workers the consumer's CPU while it waits is that of preparation.
      const prepared = workers === 0 ? [] : batches.filter(batch => batch.prepareStart >= from);
      const cpu =
        sum(consumed, ({ waitCpu }) => waitCpu) +
        sum(consumed, ({ consumeCpu }) => consumeCpu) +
        sum(prepared, batch => batch.cpu);
      return Math.max(use.own(from, to) || 0, cpu / (to - from));
    },
  };
}

/** Part of the busy cores' work that was other programs'; 0 where nobody counted it. */
function shareOfOthers(host: Host, use: MachineUse, from: number, to: number): number {
  const others = usedByOthers(host, use, from, to);
  return others === undefined ? 0 : Math.min(1, others / use.all(from, to));
}

/**
 * Part of a wait for a core that comes back with every sleep, however many workers there are: other programs are at work when
 * a thread wakes up. The rest is what threads take from each other, which is simulated.
 */
const wakingPart = (cpu: number, asleep: number, ofOthers: number): number =>
  asleep > 0 ? (ofOthers * asleep) / (cpu + asleep) : 0;

/**
 * The most that a pool of threads may have spared the preparing thread, in parts of its own CPU: it takes over parts of torch's
 * operations. What opens and decodes files has none of them.
 */
function poolableOf(loader: string, facts: BatchFacts): number {
  const { threads } = facts.process ?? {};
  const times = [...(facts.operators.get(loader) ?? [])].map(([operator, { self }]) => ({
    decodes: facts.operatorFacts.get(operator)?.traits.decodes === true,
    self,
  }));
  const sum = (of: typeof times): number => of.reduce((all, { self }) => all + self, 0);
  const whole = sum(times);
  const others = whole > 0 ? sum(times.filter(({ decodes }) => decodes)) / whole : 0;
  return Math.max(0, (threads ?? Number.POSITIVE_INFINITY) - 1) * (1 - others);
}

interface PreparingFacts {
  readonly ofOthers: number;
  readonly poolable: number;
}

function preparings(batches: readonly Batch[], workers: number, { ofOthers, poolable }: PreparingFacts): Preparing[] {
  const metered = batches.filter(batch => batch.cpu >= 0);
  const sum = (of: (batch: Batch) => number): number => metered.reduce((all, batch) => all + of(batch), 0);
  const whole = sum(preparationTime);
  // Batches too cheap to meter each divide like those that were.
  const [cpuPart, queuedPart] =
    whole > 0 ? [sum(batch => batch.cpu) / whole, sum(batch => batch.runDelay) / whole] : [1, 0];
  return batches.map(batch => {
    const time = preparationTime(batch);
    const isMetered = batch.cpu >= 0;
    const cpu = Math.min(time, isMetered ? batch.cpu : time * cpuPart);
    const queued = isMetered ? batch.runDelay : time * queuedPart;
    // Without workers the consumer's process prepares while it waits: CPU beyond its thread's is a pool's.
    const pooled = workers === 0 && batch.waitCpu > cpu ? Math.min(batch.waitCpu - cpu, poolable * cpu) : 0;
    const asleep = Math.max(0, time - cpu - queued);
    return { cpu, asleep: asleep + wakingPart(cpu, asleep, ofOthers) * Math.min(queued, time - cpu - asleep), pooled };
  });
}

/** Batches in preparation at a time, beside the consumer: 0 where it prepares them itself. */
function inPreparation(passes: readonly (readonly Batch[])[]): number {
  let [prepared, whole] = [0, 0];
  for (const pass of passes) {
    const beside = pass.filter(({ preparer, consumer }) => preparer !== consumer);
    prepared += beside.reduce((sum, batch) => sum + preparationTime(batch), 0);
    whole += (pass.at(-1)?.waitEnd ?? 0) - (pass[0]?.waitStart ?? 0);
  }
  return whole > 0 ? prepared / whole : 0;
}

/** Steps as they were, and of a team that shared cores with preparers what that may have cost. */
function steps(
  batches: readonly Batch[],
  workers: number,
  { ofOthers, teamCostAt }: { readonly ofOthers: number; teamCostAt(team: number): number },
): Step[] {
  const metered = batches.filter(batch => batch.consumeCpu >= 0);
  const sum = (of: (batch: Batch) => number): number => metered.reduce((all, batch) => all + of(batch), 0);
  const whole = sum(consumeTime);
  const [cpuPart, queuedPart] =
    whole > 0 ? [sum(batch => batch.consumeCpu) / whole, sum(batch => batch.consumeQueued) / whole] : [1, 0];
  const timed = batches.map(batch => batch.deviceStep).filter(Number.isFinite);
  const usual = timed.length === 0 ? 0 : median(timed);
  return batches.map(batch => {
    const device = Number.isNaN(batch.deviceStep) ? usual : batch.deviceStep;
    const isMetered = batch.consumeCpu >= 0;
    const queued = isMetered ? batch.consumeQueued : consumeTime(batch) * queuedPart;
    const time = Math.max(0, consumeTime(batch) - queued);
    const cpu = isMetered ? batch.consumeCpu : consumeTime(batch) * cpuPart;
    if (cpu <= time) {
      const waking = wakingPart(cpu, time - cpu, ofOthers) * Math.min(queued, consumeTime(batch) - time);
      return { cpu, threads: 1, asleep: time - cpu + waking, device, crowding: 1 };
    }
    // Where the work is a device's, a pool has nothing to do: it was still awake from the preparation.
    const threads = workers === 0 && device > 0 ? 1 : time > 0 ? cpu / time : 1;
    return { cpu: time, threads, asleep: 0, device, crowding: teamCostAt(threads) };
  });
}

/** Part of the time it wanted a core that a preparing thread had one; what waking up took is left out. */
function paceOf(batches: readonly Batch[], ofOthers: number): number {
  const metered = batches.filter(batch => batch.cpu > 0);
  const sum = (of: (batch: Batch) => number): number => metered.reduce((all, batch) => all + of(batch), 0);
  const cpu = sum(batch => batch.cpu);
  const queued = sum(batch => batch.runDelay);
  const asleep = Math.max(0, sum(preparationTime) - cpu - queued);
  return cpu > 0 ? cpu / (cpu + (1 - wakingPart(cpu, asleep, ofOthers)) * queued) : 1;
}

/** How many consumers there are at a time: their time by the clock, all together, over that of the whole. */
function ranksOf(batches: readonly Batch[]): number {
  const spans = new Map<number, { from: number; to: number }>();
  for (const { consumer, waitStart, waitEnd } of batches) {
    const span = spans.get(consumer);
    if (span === undefined) spans.set(consumer, { from: waitStart, to: waitEnd });
    else span.to = waitEnd;
  }
  const all = [...spans.values()];
  const whole = Math.max(...all.map(({ to }) => to)) - Math.min(...all.map(({ from }) => from));
  const together = all.reduce((sum, { from, to }) => sum + to - from, 0);
  return whole > 0 ? Math.max(1, Math.round(together / whole)) : 1;
}

/** The most that any of them has: advice that runs out of memory would be wrong advice. */
function workerMemoryOf(processes: readonly ProcessUse[]): number {
  const known = processes.map(process => process.private).filter(Number.isFinite);
  return known.length === 0 ? Number.NaN : Math.max(...known);
}
