import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

/**
 * Keeps a thread's byte arrays within its part of the memory budget. The collector lets about 64 MB of them pile up in
 * every thread before it looks, because on its heap they are small; many threads with large elements then exceed any
 * budget. Collecting the young generation after a few MB takes about 0.1 ms, and memory that is used again at once is
 * still in the caches.
 */
export class MemoryGuard {
  readonly #allowance: number;
  #floor = 0;
  #stubborn = 0;

  /** `allowance`: bytes of arrays outside the heap this thread may hold beyond what it keeps. */
  constructor(allowance: number) {
    this.#allowance = allowance;
    this.#floor = external();
  }

  /** Cheap; call it once per chunk. */
  check(): void {
    const held = external();
    if (held < this.#floor) this.#floor = held;
    if (held - this.#floor < this.#allowance) return;
    // What a young collection cannot free has grown old: now and then the whole heap is worth a look.
    collector()({ type: this.#stubborn >= 4 ? 'major' : 'minor' });
    const after = external();
    const freed = held - after;
    this.#stubborn = freed < this.#allowance / 2 && this.#stubborn < 4 ? this.#stubborn + 1 : 0;
    // The user's own arrays are not ours to count.
    if (freed < this.#allowance / 2) this.#floor = after;
  }
}

const external = (): number => getHeapStatistics().external_memory;

let collect: Collect | undefined;

function collector(): Collect {
  if (collect === undefined) {
    // The flag is the whole process's, so it stays on: another thread may be in the midst of the same.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  return collect;
}
