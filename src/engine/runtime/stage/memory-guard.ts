import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Without options, the whole heap. Node 20 takes any other type than 'minor' for that as well. */
type Collect = (options?: { readonly type: 'minor' }) => void;

/** Collecting for less than this would take longer than the work that made it. */
const LEAST_COLLECTED = 2 * 2 ** 20;

/**
 * Keeps a thread within its part of the memory budget. The collector lets tens of MB of arrays and garbage pile up in
 * every thread before it looks; many threads then exceed any budget. Collecting the young generation after a few MB
 * takes about 0.1 ms, and memory that is used again at once is still in the caches.
 */
export class MemoryGuard {
  /** Bytes of the whole run. */
  readonly budget: number;
  readonly #share: () => number;
  #floor: number;
  /** What the last look at the whole heap left. */
  #kept: number;
  #heap = 0;
  /** Bytes before a collection whose outcome is still to be seen. */
  #before: number | undefined;

  /** `share`: bytes this thread may hold beyond what it keeps, at the moment. */
  constructor(budget: number, share: () => number) {
    this.budget = budget;
    this.#share = share;
    this.#floor = heldBytes();
    this.#kept = this.#floor;
  }

  get allowance(): number {
    return this.#share();
  }

  get held(): number {
    return heldBytes();
  }

  /** Cheap; call it once per chunk. */
  check(): void {
    const held = heldBytes();
    if (held < this.#floor) this.#floor = held;
    if (held < this.#kept) this.#kept = held;
    if (held - this.#floor < LEAST_COLLECTED && this.#before === undefined) return;
    const tolerance = Math.max(LEAST_COLLECTED, this.#share());
    if (this.#before !== undefined) this.#lookBack(held, this.#before, tolerance);
    else if (held - this.#floor >= tolerance) {
      collector()({ type: 'minor' });
      this.#floor = heldBytes();
      this.#before = held;
    }
  }

  /** Arrays that a collection finds dead are given back by another thread, a little later: only now one sees what it brought. */
  #lookBack(held: number, before: number, tolerance: number): void {
    this.#before = undefined;
    // What the natives behind serializers and sockets hold goes only after they went.
    if (before - held < tolerance / 2) collector()({ type: 'minor' });
    this.#floor = Math.min(held, heldBytes());
    // What is left has grown old, or is the user's own. The larger the heap, the dearer a look at all of it, but more than
    // the thread may hold is never put off.
    if (this.#floor - this.#kept < Math.max(tolerance / 2, Math.min(this.#heap, tolerance))) return;
    collector()();
    this.#floor = heldBytes();
    this.#kept = this.#floor;
    this.#heap = getHeapStatistics().used_heap_size;
  }
}

/** More than this is not waited for, nor more than this part of a run's memory. */
const MOST_OLD = 128 * 2 ** 20;
const OLD_SHARE = 1 / 4;

/**
 * Lets the old objects of threads that are made from now on grow so far before V8 looks for garbage among them: the guard
 * looks when that is needed. It counts arrays of young ones against the same limit: a thread with a library or two loaded, 8 MB of old
 * objects, would mark them all anew for every few batches of images, and that takes more than half of the CPU.
 */
export function waitWithMarking(memory: number): void {
  setFlagsFromString(`--initial-old-space-size=${Math.floor(Math.min(MOST_OLD, memory * OLD_SHARE) / 2 ** 20)}`);
}

/** Bytes of this thread's objects and arrays, garbage that was not collected yet included. */
export function heldBytes(): number {
  const { used_heap_size: heap, external_memory: arrays } = getHeapStatistics();
  return heap + arrays;
}

let collect: Collect | undefined;

function collector(): Collect {
  if (collect === undefined) {
    // The flag is the whole process's, so it stays on: another thread may be in the midst of the same.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  return collect;
}
