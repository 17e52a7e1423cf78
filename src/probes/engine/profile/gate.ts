import { isMainThread } from 'node:worker_threads';

/**
 * Where lanes wait for the profiler. V8 samples those threads that exist when tracing begins, and knows generated code only if it was
 * compiled afterwards: so a lane comes here before it compiles its loops, and goes on once its thread is sampled.
 */
const ARRIVED = 0;
const ADMITTED = 1;
/** Lanes among them that run on the main thread. */
const INLINE = 2;

export const newGate = (): SharedArrayBuffer => new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);

/** In a lane: resolves when sampling has begun with this lane among the threads. */
export async function enter(gate: SharedArrayBuffer): Promise<void> {
  const words = new Int32Array(gate);
  if (isMainThread) Atomics.add(words, INLINE, 1);
  const ticket = Atomics.add(words, ARRIVED, 1) + 1;
  Atomics.notify(words, ARRIVED);
  for (let admitted = Atomics.load(words, ADMITTED); admitted < ticket; admitted = Atomics.load(words, ADMITTED)) {
    await Atomics.waitAsync(words, ADMITTED, admitted).value;
  }
}

export const arrived = (gate: SharedArrayBuffer): number => Atomics.load(new Int32Array(gate), ARRIVED);

/** A lane runs on the main thread. */
export const isInline = (gate: SharedArrayBuffer): boolean => Atomics.load(new Int32Array(gate), INLINE) > 0;

/** Admits the first `count` lanes that came. */
export function admit(gate: SharedArrayBuffer, count: number): void {
  const words = new Int32Array(gate);
  Atomics.store(words, ADMITTED, count);
  Atomics.notify(words, ADMITTED);
}
