import { type Batch, waitTime } from '../../analysis/batches/batch.ts';
import { groupedBy } from '../../math/groups.ts';
import { median } from '../../math/statistics.ts';
import type { WorkerCosts } from '../../model/machine-costs.ts';
import { FEWEST_BATCHES } from './blocks.ts';

/** CPU time of passing a batch from a worker, where a thread sends it, to the consumer's process, where one receives it, ns. */
export interface HandOver {
  readonly transfer: readonly number[];
  readonly receive: readonly number[];
  /** Copied into pinned memory; empty where nothing was. */
  readonly pin: readonly number[];
  /** Times are those of a usual machine: the recording has no workers, and nothing was measured beside it. */
  readonly isGuessed: boolean;
  /** Time asleep in each receipt, whatever the worker does, ns: unpacking that waits for something. */
  readonly asleep: readonly number[];
  readonly held: Held;
  /**
   * CPU time of page faults, ns: a batch for another process is collated into fresh pages of shared memory (written), and its
   * consumer is the first to touch them on its side (read). Recorded times of a loader with workers include it.
   */
  readonly writtenShared: number;
  readonly readShared: number;
  /** The cost of fresh pages is that of a usual machine: it was not measured. */
  readonly isSharingGuessed: boolean;
}

/**
 * Additional time asleep of a receipt while its worker prepares another batch, ns: the worker's threads that send the batch and its
 * memory wait for the interpreter as long as the preparation keeps it. Code that releases it (numpy, zlib, decoders) delays nobody.
 */
export interface Held {
  readonly receive: readonly number[];
  /** Not recorded: from 0 to this much, by the part of the preparation that keeps the interpreter. */
  readonly isGuessed: boolean;
}

/**
 * CPU time of handing a small batch over where none was recorded and nothing measured, ns: half of it in the worker, half in the consumer.
 * Source: costs.py, 0.4 to 0.7 ms on two virtual cores of an Intel Xeon, quiet, torch 1.13, 17 November 2026.
 */
const USUAL_HAND_OVER_NS = 5e5;
/**
 * Bytes of fresh shared memory per ns of CPU time in the writer's page faults, where not measured. Source: costs.py, 2.4 to 3 on the same
 * machine. Those of the reader took a seventh of that, which lies within the range of the writer's.
 */
const WRITTEN_PER_NS = 2;

export interface HandOverFacts {
  readonly bytes: number;
  readonly pace: number;
  /** Measured beside the recording. */
  readonly costs: WorkerCosts | undefined;
}

export function handOvers(batches: readonly Batch[], workers: number, { bytes, pace, costs }: HandOverFacts): HandOver {
  const known = bytes || 0;
  const shared = {
    writtenShared: costs === undefined ? known / WRITTEN_PER_NS : (costs.written * known) / costs.bytes,
    readShared: costs === undefined ? 0 : (costs.read * known) / costs.bytes,
    isSharingGuessed: costs === undefined,
  };
  const guessed: Held = { receive: [costs?.held ?? 0], isGuessed: true };
  if (workers === 0) {
    const { transfer = USUAL_HAND_OVER_NS / 2, receive = USUAL_HAND_OVER_NS / 2 } = costs ?? {};
    const isGuessed = costs === undefined;
    return { transfer: [transfer], receive: [receive], pin: [], isGuessed, asleep: [0], held: guessed, ...shared };
  }
  const isPinned = batches.some(batch => batch.pinStart >= 0);
  const received = (batch: Batch): number => (isPinned ? batch.pinStart : batch.arrived);
  const awaited = batches.filter(batch => batch.waitStart < batch.prepareEnd && received(batch) > batch.prepareEnd);
  // Queueing of the sender and the receiver for a core is left out here: it is simulated.
  const whole = awaited.map(batch => (received(batch) - batch.prepareEnd) * pace);
  const usual = whole.length === 0 ? USUAL_HAND_OVER_NS : median(whole);
  // Batches that had arrived when they were asked for show the time of a receipt, unless an earlier one was waited for.
  const lying = batches.filter(
    batch =>
      batch.prepareEnd + 2 * usual < batch.waitStart &&
      (isPinned ? batch.pinEnd < batch.waitStart : !(batch.arrived < batch.waitStart)),
  );
  const receive = lying.length < FEWEST_BATCHES ? [usual / 2] : lying.map(batch => receiveWork(batch, pace));
  const typical = median(receive);
  const { idle, busy } = isPinned ? { idle: [], busy: [] } : latencies(lying, batches);
  const asleep = idle.length < FEWEST_BATCHES ? [0] : idle;
  const least = median(asleep);
  return {
    transfer:
      whole.length === 0 ? [USUAL_HAND_OVER_NS / 2] : whole.map(time => Math.max(0, time - (isPinned ? 0 : typical))),
    receive,
    pin: isPinned
      ? batches.filter(batch => batch.pinEnd > batch.pinStart).map(batch => (batch.pinEnd - batch.pinStart) * pace)
      : [],
    isGuessed: false,
    asleep,
    held:
      busy.length < FEWEST_BATCHES
        ? guessed
        : { receive: busy.map(time => Math.max(0, time - least)), isGuessed: false },
    ...shared,
  };
}

/** CPU of receiving it, where that was metered; what it queued for a core is simulated. */
const receiveWork = (batch: Batch, pace: number): number =>
  batch.waitCpu >= 0 ? Math.min(waitTime(batch), batch.waitCpu) : waitTime(batch) * pace;

/** Neither at work nor in the queue for a core. */
const latency = (batch: Batch): number => Math.max(0, waitTime(batch) - batch.waitCpu - batch.waitQueued);

/** Latency of batches that lay there when they were asked for, by whether their worker was busy with others meanwhile. */
function latencies(lying: readonly Batch[], batches: readonly Batch[]): Record<'idle' | 'busy', number[]> {
  const inOrder = batches.toSorted((a, b) => a.prepareStart - b.prepareStart);
  const tasks = groupedBy(inOrder, ({ preparer }) => preparer);
  const found: Record<'idle' | 'busy', number[]> = { idle: [], busy: [] };
  for (const batch of lying.filter(({ waitCpu, waitQueued }) => waitCpu >= 0 && waitQueued >= 0)) {
    // A worker that was busy for most of a receipt may have delayed it.
    found[busyPart(batch, tasks.get(batch.preparer) ?? []) > 1 / 2 ? 'busy' : 'idle'].push(latency(batch));
  }
  return found;
}

/** Part of the wait for a batch in which its worker prepared others. `tasks`: all of its worker, one after the other. */
function busyPart({ waitStart, waitEnd }: Batch, tasks: readonly Batch[]): number {
  let [from, to] = [0, tasks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((tasks[middle]?.prepareEnd ?? 0) > waitStart) to = middle;
    else from = middle + 1;
  }
  let busy = 0;
  for (let task = tasks[from]; task !== undefined && task.prepareStart < waitEnd; task = tasks[++from]) {
    busy += Math.min(task.prepareEnd, waitEnd) - Math.max(task.prepareStart, waitStart);
  }
  return waitEnd > waitStart ? busy / (waitEnd - waitStart) : 0;
}
