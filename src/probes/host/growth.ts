/**
 * Turns a system's count, which began at boot or process start, into what it grew by since the first look.
 * A run's totals start with the run; besides, CPU time since boot of a large machine would not fit a record.
 */
export class Growth {
  #first: number | undefined;
  #grown = 0;

  /** A count that falls (a disk was unplugged) stands still: a total never does. */
  of(count: number | undefined): number | undefined {
    if (count === undefined) return undefined;
    this.#first ??= count;
    this.#grown = Math.max(this.#grown, count - this.#first);
    return this.#grown;
  }
}
