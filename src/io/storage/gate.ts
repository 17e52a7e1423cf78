/** Lets `places` in at a time, in the order they came. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** For one who is in: makes its place free until `wait` is over. */
  async stepOut(wait: Promise<void>): Promise<void> {
    this.#leave();
    try {
      await wait;
    } finally {
      await this.#enter();
    }
  }

  async #enter(): Promise<void> {
    if (this.#free === 0) await new Promise<void>(resolve => this.#waiting.push(resolve));
    else this.#free--;
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
