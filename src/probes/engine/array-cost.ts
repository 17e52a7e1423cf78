const BYTES = 128;
const AT_ONCE = 250;
/** The first of them are made by code that is not compiled yet. */
const WARM_UP = 16;
const AT_FIRST = 16;

/**
 * What a small typed array with memory of its own takes to make. What it takes to hand such arrays on, or to keep them, goes by that, and
 * on a machine whose neighbours are busy it is more than twice as much. Neighbours come and go: it is tried 16 times at first, in 5 ms,
 * and a little whenever somebody asks for it.
 */
export class ArrayCost {
  readonly #from = new Uint8Array(64 * BYTES);
  readonly #times: number[] = [];

  constructor() {
    for (let round = 0; round < WARM_UP; round++) this.#make();
    for (let round = 0; round < AT_FIRST; round++) this.#time();
  }

  /** Tries again. */
  again(): void {
    // The first time its code has gone from the processor's caches.
    this.#make();
    this.#time();
  }

  /** ns, in the middle of all trials. */
  get ns(): number {
    return [...this.#times].sort((a, b) => a - b)[this.#times.length >> 1] ?? 0;
  }

  #time(): void {
    const began = performance.now();
    this.#make();
    this.#times.push(((performance.now() - began) * 1e6) / AT_ONCE);
  }

  #make(): number {
    let sum = 0;
    for (let i = 0; i < AT_ONCE; i++) {
      const at = (i & 31) * BYTES;
      sum += this.#from.slice(at, at + BYTES)[0] ?? 0;
    }
    return sum;
  }
}
