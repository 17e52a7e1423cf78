type Column = Uint8Array | Uint32Array | Int32Array | Float64Array;

const FIRST_CAPACITY = 1024;

/** A typed array that numbers are appended to. */
export class GrowingColumn<C extends Column> {
  length = 0;
  readonly #make: new (
    length: number,
  ) => C;
  #values: C;

  constructor(make: new (length: number) => C) {
    this.#make = make;
    this.#values = new make(FIRST_CAPACITY);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new this.#make(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  /** What was appended so far, without a copy: more that is appended may show in it or not. */
  view(): C {
    return this.#values.subarray(0, this.length) as C;
  }

  /** What was appended, in an order of positions where one is given. */
  done(order?: Uint32Array): C {
    if (order === undefined) return this.#values.slice(0, this.length) as C;
    const values = new this.#make(order.length);
    for (let at = 0; at < order.length; at++) values[at] = this.#values[order[at] ?? 0] ?? 0;
    return values;
  }
}
