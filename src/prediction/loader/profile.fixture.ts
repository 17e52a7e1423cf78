import type { LoaderProfile, Preparing, Step } from './profile.ts';
import { NO_WARM_UP } from './warm-up.ts';

const MS = 1e6;

export interface ProfileWish {
  readonly workers?: number;
  readonly preparing?: readonly Preparing[];
  readonly steps?: readonly Step[];
  readonly cores?: number;
}

/** Milliseconds of work and of sleep. */
export const preparing = (cpu: number, asleep: number): Preparing => ({
  cpu: cpu * MS,
  asleep: asleep * MS,
  pooled: 0,
});
export const step = (cpu: number, asleep: number, threads = 1): Step => ({
  cpu: cpu * MS,
  asleep: asleep * MS,
  threads,
  device: 0,
  crowding: 1,
});

/** A loader whose batches of 8 take no time to hand over. */
export function profile(wish: ProfileWish = {}, more: Partial<LoaderProfile> = {}): LoaderProfile {
  const { workers = 2, cores = 8 } = wish;
  return {
    loader: 'loader',
    setting: { workers, prefetch: 2, pinned: false, persistent: false, inOrder: true },
    preparing: wish.preparing ?? Array.from({ length: 30 }, () => preparing(10, 0)),
    steps: wish.steps ?? Array.from({ length: 30 }, () => step(0, 1)),
    handOver: {
      transfer: [0],
      receive: [0],
      pin: [],
      isGuessed: false,
      asleep: [0],
      held: { receive: [0], isGuessed: false },
      writtenShared: 0,
      readShared: 0,
      isSharingGuessed: false,
    },
    warmUp: NO_WARM_UP,
    batchSize: 8,
    batchBytes: 1e6,
    askedPerBatch: 0,
    passBatches: Number.POSITIVE_INFINITY,
    workerCost: { each: 0, start: 0 },
    startMethod: 'fork',
    untilFirst: 0,
    passes: 1,
    epochs: undefined,
    ranks: 1,
    pace: { perElement: Number.NaN, once: 0 },
    measured: Number.NaN,
    measuredParts: [],
    machine: { cores, physical: cores, others: 0 },
    othersUsed: 0,
    busy: 1,
    pool: undefined,
    workerMemory: 1e8,
    memoryAvailable: 1e11,
    sharedSpace: 1e10,
    ...more,
  };
}
