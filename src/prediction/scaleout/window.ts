/**
 * Which steps count: those that end after the last worker has warmed up, until the first worker has done all its steps. Neither the common start
 * nor the end, when some have stopped, is in it.
 */
export class CountingWindow {
  readonly #steps: number;
  readonly #warmUp: number;
  readonly #done: Int32Array;
  /** By worker: when it had warmed up, and when its latest step ended. */
  readonly #warmAt: Float64Array;
  readonly #endedAt: Float64Array;
  #warm = 0;
  #target: number;
  /** What ends at this very moment does not count, and where a fast worker has done all its steps by then, the window goes on. */
  #openedAt = 0;
  isOpen: boolean;
  isClosed = false;
  /** Steps that ended in it. */
  counted = 0;

  constructor(workers: number, steps: number, warmUp: number) {
    this.#steps = steps;
    this.#warmUp = warmUp;
    this.#done = new Int32Array(workers);
    this.#warmAt = new Float64Array(workers);
    this.#endedAt = new Float64Array(workers);
    this.#target = steps;
    this.isOpen = warmUp === 0;
  }

  /** A worker's step has ended. True where that opens the window. */
  count(worker: number, now: number): boolean {
    const done = (this.#done[worker] as number) + 1;
    this.#done[worker] = done;
    this.#endedAt[worker] = now;
    if (done === this.#warmUp) this.#warmAt[worker] = now;
    const opens = !this.isOpen && done === this.#warmUp && ++this.#warm === this.#done.length;
    if (this.isOpen && now > this.#openedAt) this.counted++;
    if (opens) this.#open(now);
    if (!this.isOpen || done < this.#target) return opens;
    if (now > this.#openedAt || this.#target > this.#steps) this.isClosed = true;
    else this.#target = done + this.#more;
    return opens;
  }

  /**
   * Steps per second of all workers, each over its own steps since it had warmed up. For workers that wait for each other: where one ends a moment before the others, the
   * window above holds a step less of each of these.
   */
  get jointRate(): number {
    return this.#done.reduce((sum, done, worker) => {
      const seconds = (this.#endedAt[worker] as number) - (this.#warmAt[worker] as number);
      return done > this.#warmUp ? sum + (done - this.#warmUp) / seconds : sum;
    }, 0);
  }

  #open(now: number): void {
    this.isOpen = true;
    this.#openedAt = now;
    // A slow worker may still have been warming up when a fast one had done all its steps.
    const most = this.#done.reduce((a, b) => Math.max(a, b));
    if (most >= this.#steps) this.#target = most + this.#more;
  }

  /** Steps in the window of a worker that had warmed up when it opened. */
  get #more(): number {
    return this.#steps - this.#warmUp;
  }
}
