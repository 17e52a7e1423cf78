import { setFlagsFromString } from 'node:v8';
import { MessageChannel } from 'node:worker_threads';

/** The most that the GNU library learns from; a little less, for what it writes before each piece. */
const MOST = 31 * 2 ** 20;
/** Of a run's memory: what is kept is free, but nobody else's. */
const SHARE = 1 / 8;
/** A run with less memory than this is meant to be small. */
const LEAST_MEMORY = 128 * 2 ** 20;

let kept = 0;

/**
 * Lets the process keep the memory of arrays that were freed. The allocator of the GNU library gives back whatever is free at the end of a
 * thread's memory beyond a limit of 128 kB, and gets it anew for the next array, page by page, in a lock that all threads share: with
 * photographs two threads were a third faster than one instead of nearly twice as fast. It learns from what is freed: one large piece is
 * enough for twice its size to be kept from then on. Elsewhere this does nothing.
 */
export function keepFreedMemory(memory: number): void {
  const bytes = Math.min(MOST, Math.floor(memory * SHARE));
  if (memory < LEAST_MEMORY || bytes <= kept) return;
  kept = bytes;
  // Its pages are never touched.
  free([new ArrayBuffer(bytes)]);
}

/**
 * Lets every thread free the memory of its own arrays. V8 has a thread of its own do that, and the two then contend for one allocator: a
 * small array took 2.4 µs of CPU to make and free, and takes 0.7. V8 looks at this setting whenever it begins to free, so it may change
 * while other threads run; it holds for the whole process.
 */
export function freeWhereAllocated(): void {
  setFlagsFromString('--no-concurrent-array-buffer-sweeping');
}

/** What is sent to a closed port is freed at once, where the collector would take its time. */
export function free(buffers: readonly ArrayBuffer[]): void {
  const { port1, port2 } = new MessageChannel();
  port1.close();
  port2.close();
  port1.postMessage(undefined, [...buffers]);
}
