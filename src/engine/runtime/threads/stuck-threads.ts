import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

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
  const ended = Promise.all(workers.map(worker => worker.terminate().then(() => left.delete(worker))));
  const patience = new AbortController();
  await Promise.race([
    ended.finally(() => patience.abort()),
    sleep(TERMINATE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
  ]);
  stuck += left.size;
  for (const worker of left) void worker.terminate().then(() => stuck--);
  return [...left];
}
