/**
 * A line of fixed bandwidth that all threads share, in virtual time: one number says when it is next free, and a
 * transfer is booked by moving that number on. Nothing flows; whoever books sleeps until its last byte would arrive.
 */
export class SharedLine {
  readonly #free: BigInt64Array;
  readonly #bytesPerSecond: number;

  /** `memory` is the line's state, from `allocateLine`. */
  constructor(memory: SharedArrayBuffer, bytesPerSecond: number) {
    this.#free = new BigInt64Array(memory);
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Books `bytes` for a request made at `arrival`, in ns of a clock common to all threads; gives their last one's time. */
  book(bytes: number, arrival: bigint): bigint {
    const duration = BigInt(Math.ceil((bytes * 1e9) / this.#bytesPerSecond));
    for (;;) {
      const free = Atomics.load(this.#free, 0);
      const end = (free > arrival ? free : arrival) + duration;
      if (Atomics.compareExchange(this.#free, 0, free, end) === free) return end;
    }
  }
}

export const allocateLine = (): SharedArrayBuffer => new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
