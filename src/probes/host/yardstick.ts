/** Numbers it goes through, 32 kB of them, and how often. */
const NUMBERS = 4096;
const PASSES = 4;
/** It is done so often before the first reading: V8 has compiled it by then. */
const REHEARSALS = 50;

/**
 * A small piece of work, the same on every machine. How long it takes beside other work says how fast this thread is just now: what it has for
 * a processor, how high that is clocked, and who shares it.
 */
export class Yardstick {
  readonly #numbers = Array.from({ length: NUMBERS }, (_, at) => at + 0.5);
  readonly #tries: Float64Array;
  #readings = 0;
  #speed = 0;

  /** A reading is the middle one of the later half of `tries`: what comes first finds its code cold, and its core asleep. */
  constructor(tries: number) {
    this.#tries = new Float64Array(tries);
    for (let times = 0; times < REHEARSALS; times++) goThrough(this.#numbers);
  }

  /** So far. */
  get readings(): number {
    return this.#readings;
  }

  /**
   * How often the work could be done in a second, summed over the readings. They come at moments of the clock: their mean is what a thread gets
   * done that is fast now and slow then, which the mean of the times is not.
   */
  get speed(): number {
    return this.#speed;
  }

  read(): void {
    const tries = this.#tries;
    for (let at = 0; at < tries.length; at++) {
      const began = process.hrtime.bigint();
      goThrough(this.#numbers);
      tries[at] = Number(process.hrtime.bigint() - began);
    }
    const later = tries.subarray(tries.length >> 1).sort();
    this.#readings++;
    this.#speed += 1e9 / Math.max(1, later[(later.length - 1) >> 1] ?? 0);
  }
}

/**
 * It has to be the same code all the time. It is no method: V8 throws the code of those away when the shape of their object changes, as it does
 * with the first readings, and one reading then takes forty times as long. And it is no typed array: those are slower by a third once any of a
 * thread's buffers has been transferred.
 */
function goThrough(numbers: number[]): void {
  for (let pass = 0; pass < PASSES; pass++) {
    for (let at = 0; at < NUMBERS; at++) numbers[at] = (numbers[at] ?? 0) * 0.5 + at;
  }
}
