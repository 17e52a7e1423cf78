/**
 * Growth of a system counter since the first call; the counter itself began at boot or process start. Totals of a run start
 * with the run, and CPU time since boot of a large machine would not fit a record.
 */
export class Growth {
  #first: number | undefined;
  #grown = 0;

  /** Never decreases: where the counter falls (a disk was unplugged), the total stays as it is. */
  of(count: number | undefined): number | undefined {
    if (count === undefined) return undefined;
    this.#first ??= count;
    this.#grown = Math.max(this.#grown, count - this.#first);
    return this.#grown;
  }
}
