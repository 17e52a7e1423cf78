import { isMainThread, workerData } from 'node:worker_threads';

/** Marks a thread as a lane of a run, in the data it is started with. */
export const WORKER_MARK = 'venturi:lane';

/** This thread is a lane: what it imports was imported by the main thread before. */
export const isOwnWorker = (): boolean =>
  !isMainThread && (workerData as Record<string, unknown> | undefined)?.[WORKER_MARK] === true;
