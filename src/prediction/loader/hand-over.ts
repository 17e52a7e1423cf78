import { type Batch, waitTime } from '../../analysis/batches/batch.ts';
import { median } from '../../math/statistics.ts';
import type { WorkerCosts } from '../../model/machine-costs.ts';

/** How a batch comes from a worker: sent by a thread of it, and received by one of the consumer's process. CPU, in ns. */
export interface HandOver {
  readonly transfer: readonly number[];
  readonly receive: readonly number[];
  /** Copied into pinned memory; empty where nothing was. */
  readonly pin: readonly number[];
  /** Nothing was handed over in this recording, nor measured beside it: times are those of a usual machine. */
  readonly isGuessed: boolean;
  /** Time asleep in each receipt, whatever the worker does: unpacking that waits for something, ns. */
  readonly asleep: readonly number[];
  readonly held: Held;
  /**
   * A batch for another process is collated into fresh pages of shared memory, and its consumer is the first to touch them on
   * its side: CPU that either adds, on a usual machine. It is in the recorded times where there were workers.
   */
  readonly writtenShared: number;
  readonly readShared: number;
  /** Nobody measured what fresh pages cost: it is that of a usual machine. */
  readonly isSharingGuessed: boolean;
}

/**
 * What receiving a batch takes longer while its worker is at work on another, ns asleep: threads of the worker send the batch and hand
 * over its memory, and wait for the interpreter as long as the preparation keeps it. Code that lets it go (numpy, zlib, decoders) holds nobody up.
 */
export interface Held {
  readonly receive: readonly number[];
  /** The recording does not show it: from nothing to so much, by what part of the preparation keeps the interpreter. */
  readonly isGuessed: boolean;
}

/** A batch handed over by a usual machine where none was recorded, ns. */
const USUAL_TRANSFER = 2e5;
const USUAL_RECEIVE = 1.5e5;
/** Bytes per ns by which fresh pages of shared memory slow down who writes them, and who reads them first in another process. */
const WRITTEN_PER_NS = 2;
const READ_PER_NS = 4;
/** Fewer batches than this show nothing. */
const FEWEST = 3;
/** A worker that is busy for more than this part of a receipt may hold it up. */
const MOSTLY = 0.5;

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
    readShared: costs === undefined ? known / READ_PER_NS : (costs.read * known) / costs.bytes,
    isSharingGuessed: costs === undefined,
  };
  const guessed: Held = { receive: [costs?.held ?? 0], isGuessed: true };
  if (workers === 0) {
    const { transfer = USUAL_TRANSFER, receive = USUAL_RECEIVE } = costs ?? {};
    const isGuessed = costs === undefined;
    return { transfer: [transfer], receive: [receive], pin: [], isGuessed, asleep: [0], held: guessed, ...shared };
  }
  const isPinned = batches.some(batch => batch.pinStart >= 0);
  const received = (batch: Batch): number => (isPinned ? batch.pinStart : batch.arrived);
  const awaited = batches.filter(batch => batch.waitStart < batch.prepareEnd && received(batch) > batch.prepareEnd);
  // Whoever sends and receives queues for a core like everybody else: that is simulated, not taken over.
  const whole = awaited.map(batch => (received(batch) - batch.prepareEnd) * pace);
  const usual = whole.length === 0 ? USUAL_TRANSFER + USUAL_RECEIVE : median(whole);
  // What lay there when it was asked for shows what receiving takes; what came while an earlier one was waited for does not.
  const lying = batches.filter(
    batch =>
      batch.prepareEnd + 2 * usual < batch.waitStart &&
      (isPinned ? batch.pinEnd < batch.waitStart : !(batch.arrived < batch.waitStart)),
  );
  const receive = lying.length < FEWEST ? [usual / 2] : lying.map(batch => receiveWork(batch, pace));
  const typical = median(receive);
  const { idle, busy } = isPinned ? { idle: [], busy: [] } : latencies(lying, batches);
  const asleep = idle.length < FEWEST ? [0] : idle;
  const least = median(asleep);
  return {
    transfer: whole.length === 0 ? [USUAL_TRANSFER] : whole.map(time => Math.max(0, time - (isPinned ? 0 : typical))),
    receive,
    pin: isPinned
      ? batches.filter(batch => batch.pinEnd > batch.pinStart).map(batch => (batch.pinEnd - batch.pinStart) * pace)
      : [],
    isGuessed: false,
    asleep,
    held: busy.length < FEWEST ? guessed : { receive: busy.map(time => Math.max(0, time - least)), isGuessed: false },
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
  const tasks = new Map<number, Batch[]>();
  for (const batch of batches.toSorted((a, b) => a.prepareStart - b.prepareStart)) {
    const own = tasks.get(batch.preparer);
    if (own === undefined) tasks.set(batch.preparer, [batch]);
    else own.push(batch);
  }
  const found: Record<'idle' | 'busy', number[]> = { idle: [], busy: [] };
  for (const batch of lying.filter(({ waitCpu, waitQueued }) => waitCpu >= 0 && waitQueued >= 0)) {
    found[busyPart(batch, tasks.get(batch.preparer) ?? []) > MOSTLY ? 'busy' : 'idle'].push(latency(batch));
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
