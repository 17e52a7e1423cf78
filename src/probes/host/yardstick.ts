/** Numbers it goes through, 16 kB of them, and how often. */
const NUMBERS = 4096;
const PASSES = 4;
/** It is done so often before the first reading: V8 has compiled it by then. */
const REHEARSALS = 50;

/**
 * A small piece of work, the same on every machine. How long it takes beside other work says how fast this thread is just now: what it has for
 * a processor, how high that is clocked, and who shares it.
 */
export class Yardstick {
  readonly #numbers = new Int32Array(NUMBERS);
  readonly #tries: Float64Array;
  #readings = 0;
  #time = 0;

  /** A reading is the middle one of the later half of `tries`: what comes first finds its code cold, and its core asleep. */
  constructor(tries: number) {
    this.#tries = new Float64Array(tries);
    for (let times = 0; times < REHEARSALS; times++) this.#work();
  }

  /** So far. */
  get readings(): number {
    return this.#readings;
  }

  /** What all readings took together, ns. */
  get time(): number {
    return this.#time;
  }

  read(): void {
    const tries = this.#tries;
    for (let at = 0; at < tries.length; at++) {
      const began = process.hrtime.bigint();
      this.#work();
      tries[at] = Number(process.hrtime.bigint() - began);
    }
    const later = tries.subarray(tries.length >> 1).sort();
    this.#readings++;
    this.#time += later[(later.length - 1) >> 1] ?? 0;
  }

  #work(): void {
    const numbers = this.#numbers;
    for (let pass = 0; pass < PASSES; pass++) {
      for (let at = 0; at < NUMBERS; at++) numbers[at] = (Math.imul(numbers[at] ?? 0, 31) + at) | 0;
    }
  }
}
