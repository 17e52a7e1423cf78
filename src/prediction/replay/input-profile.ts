import { mean } from '../../math/statistics.ts';
import { OP_WORK, type StepTrace } from '../../model/step-trace.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { handOvers } from '../loader/hand-over.ts';
import type { LoaderProfile } from '../loader/profile.ts';
import { USUAL_PREFETCH } from '../loader/setting.ts';
import { NO_WARM_UP } from '../loader/warm-up.ts';

const INPUT = OP_WORK.indexOf('input');
const COPY = OP_WORK.indexOf('copy');

/** Name of the iterator of a DataLoader that has workers: its preparation is in processes that no trace of the training shows. */
const OF_WORKERS = /MultiProcessing/;

/** Why a trace does not show how batches are prepared. */
export type NoInputProfile = 'no-input' | 'workers';

/** Bytes that a rank copies to its device in a step, on average. */
export function copiedToDevice({ ops, steps, resources }: StepTrace, rank: number): number {
  let copied = 0;
  for (let op = 0; op < ops.count; op++) {
    const isOfRank = (ops.step[op] ?? -1) >= 0 && resources[ops.resource[op] ?? 0]?.rank === rank;
    if (isOfRank && ops.work[op] === COPY && isToDevice(nameOf(ops, op))) copied += ops.bytes[op] || 0;
  }
  return copied / steps.filter(step => step.rank === rank).length;
}

const nameOf = ({ names, name }: StepTrace['ops'], op: number): string => names[name[op] ?? 0] ?? '';

const isToDevice = (name: string): boolean => name.includes('HtoD');

/**
 * The DataLoader of a rank as its trace shows it, where the training thread prepares batches itself: the input of each step is one batch's preparation,
 * and the rest of the step its consumption. An element is a batch. What a trace does not say, it takes as usual: handing a batch over to another
 * process. Its machine has one core, as no trace says how many there are.
 */
export function inputProfile(trace: StepTrace, rank: number): LoaderProfile | NoInputProfile {
  const { ops, steps, resources } = trace;
  const own = [...steps.keys()].filter(step => steps[step]?.rank === rank);
  const inputs = new Map<number, number>();
  let isPinned = false;
  for (let op = 0; op < ops.count; op++) {
    const step = ops.step[op] ?? -1;
    if (step < 0 || resources[ops.resource[op] ?? 0]?.rank !== rank) continue;
    const name = nameOf(ops, op);
    if (ops.work[op] === INPUT) {
      if (OF_WORKERS.test(name)) return 'workers';
      inputs.set(step, (inputs.get(step) ?? 0) + (ops.duration[op] ?? 0));
    } else if (ops.work[op] === COPY && isToDevice(name)) isPinned ||= name.includes('Pinned');
  }
  if (inputs.size === 0) return 'no-input';
  const durations = own.map(step => steps[step]?.duration ?? 0);
  const preparing = own.map(step => ({ cpu: inputs.get(step) ?? 0, asleep: 0, pooled: 0 }));
  const batchBytes = copiedToDevice(trace, rank);
  return {
    loader: 'DataLoader',
    setting: { workers: 0, prefetch: USUAL_PREFETCH, pinned: isPinned, persistent: true, inOrder: true },
    preparing,
    steps: durations.map((duration, at) => ({
      cpu: Math.max(0, duration - (preparing[at]?.cpu ?? 0)),
      threads: 1,
      asleep: 0,
      device: 0,
      crowding: 1,
    })),
    handOver: handOvers([], 0, { bytes: batchBytes, pace: 1, costs: undefined }),
    warmUp: NO_WARM_UP,
    batchSize: 1,
    batchBytes,
    askedPerBatch: 0,
    passBatches: Number.POSITIVE_INFINITY,
    workerCost: { each: Number.NaN, start: Number.NaN },
    startMethod: 'fork',
    untilFirst: 0,
    passes: 1,
    epochs: undefined,
    ranks: 1,
    pace: { perElement: mean(durations), once: 0 },
    measured: NS_PER_SECOND / mean(durations),
    measuredParts: durations.map(duration => NS_PER_SECOND / duration),
    machine: { cores: 1, physical: 1, others: 0 },
    othersUsed: undefined,
    pool: undefined,
    busy: 1,
    workerMemory: Number.NaN,
    memoryAvailable: Number.NaN,
    sharedSpace: Number.NaN,
  };
}
