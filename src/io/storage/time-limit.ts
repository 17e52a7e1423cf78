/** The time that one object may take, in which several requests for it may be under way; what it waits for its turn is not counted. */
export class TimeLimit {
  readonly #abort = new AbortController();
  readonly #parent: AbortSignal;
  readonly #expired: () => Error;
  #leftMs: number;
  #users = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `parent` ends it before its time; `expired` makes the reason where the time is over. */
  constructor(ms: number, parent: AbortSignal, expired: () => Error) {
    this.#leftMs = ms;
    this.#parent = parent;
    this.#expired = expired;
    if (parent.aborted) this.#onParent();
    else parent.addEventListener('abort', this.#onParent);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Counts the time that `work` takes. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#begin();
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  /** Inside `during`: does not count the time that `wait` takes. */
  async except(wait: () => Promise<void>): Promise<void> {
    this.#end();
    try {
      await wait();
    } finally {
      this.#begin();
    }
  }

  /** Ends what is still under way. */
  cancel(reason: unknown): void {
    this.#abort.abort(reason);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener('abort', this.#onParent);
  }

  readonly #onParent = (): void => this.#abort.abort(this.#parent.reason);

  #begin(): void {
    if (this.#users++ > 0) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#abort.abort(this.#expired()), Math.max(0, this.#leftMs));
  }

  #end(): void {
    if (--this.#users > 0) return;
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#since;
  }
}
