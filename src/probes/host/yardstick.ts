/** The work: 4096 numbers (32 kB), each updated in so many rounds. */
const NUMBERS = 4096;
const ROUNDS = 4;
/** Warm-up runs before the first reading, so that V8 has compiled the code. */
const REHEARSALS = 50;

/**
 * A micro-benchmark that is the same on every machine. Its time, taken beside other work, measures the current speed of the
 * thread: the processor, its clock frequency, and contention by whoever shares the core.
 */
export class Yardstick {
  readonly #numbers = Array.from({ length: NUMBERS }, (_, at) => at + 0.5);
  readonly #tries: Float64Array;
  #readings = 0;
  #speed = 0;

  /** A reading is the median of the later half of `tries`: the first ones meet cold code and a core at low frequency. */
  constructor(tries: number) {
    this.#tries = new Float64Array(tries);
    for (let times = 0; times < REHEARSALS; times++) goThrough(this.#numbers);
  }

  /** Number of readings so far. */
  get readings(): number {
    return this.#readings;
  }

  /**
   * Sum over the readings of their speed, in executions per second. Readings are equally spaced in time, so the mean speed
   * is the work a thread of varying speed gets done per second; the inverse of the mean time would underestimate it.
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
 * A function and a plain array, so that V8's code for it never changes. Code of a method is discarded when the shape of its
 * object changes, as it does with the first readings, and the next reading then takes forty times as long. Typed arrays get
 * slower by a third once any buffer of the thread has been transferred.
 */
function goThrough(numbers: number[]): void {
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = 0; at < NUMBERS; at++) numbers[at] = (numbers[at] ?? 0) * 0.5 + at;
  }
}
