import type { Worker } from 'node:worker_threads';
import { settles } from '../run/patience.ts';

/** A thread that runs JavaScript, or waits as ours do, ends within milliseconds. */
const TERMINATE_MS = 2000;

let stuck = 0;

/**
 * Threads that could not be ended, because they wait inside the system for what does not come: a pipe that nobody writes to, a
 * dead server of files, a program that was started synchronously. `process.exit()` would wait for them, and hear no signal.
 */
export const stuckThreads = (): number => stuck;

/** Ends threads, and does not wait for those that cannot be ended; gives these. */
export async function terminate<T extends Pick<Worker, 'terminate'>>(workers: readonly T[]): Promise<readonly T[]> {
  const left = new Set(workers);
  await settles(Promise.all(workers.map(worker => worker.terminate().then(() => left.delete(worker)))), TERMINATE_MS);
  stuck += left.size;
  for (const worker of left) void worker.terminate().then(() => stuck--);
  return [...left];
}
