/** The least throughput of a request over an interval; a slower one is given up. */
export interface PaceSettings {
  readonly timeoutMs: number;
  readonly minBytesPerSecond: number;
}

/** Calls `fail` when a request brought nothing, or too little, for `timeoutMs`. */
export class Pace {
  readonly #settings: PaceSettings;
  readonly #fail: (error: Error) => void;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: PaceSettings, fail: (error: Error) => void) {
    this.#settings = settings;
    this.#fail = fail;
  }

  /** From now on, with what has come until now forgotten. */
  start(): void {
    clearTimeout(this.#timer);
    this.#bytes = 0;
    this.#timer = setTimeout(() => this.#check(), this.#settings.timeoutMs);
  }

  arrived(bytes: number): void {
    this.#bytes += bytes;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    const { timeoutMs, minBytesPerSecond } = this.#settings;
    if (this.#bytes === 0) this.#fail(new Error(`nothing came for ${timeoutMs / 1000} s`));
    else if ((this.#bytes * 1000) / timeoutMs < minBytesPerSecond) this.#fail(new SlowError(this.#bytes, timeoutMs));
    else this.start();
  }
}

/** Bytes came, but too few of them to count as progress. */
export class SlowError extends Error {
  constructor(bytes: number, timeoutMs: number) {
    super(`only ${bytes} bytes came in ${timeoutMs / 1000} s`);
  }
}
