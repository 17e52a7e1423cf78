import { Loan } from '../run/loan.ts';

/** Blocks of a channel's memory that no chunk lies in: a consumer that keeps one gives another in its place. */
export class Loans {
  readonly #memory: SharedArrayBuffer;
  readonly #free: number[];
  readonly #forgotten = new FinalizationRegistry<Loan>(loan => loan.forgotten());

  constructor(memory: SharedArrayBuffer, free: readonly number[]) {
    this.#memory = memory;
    this.#free = [...free];
  }

  get free(): number {
    return this.#free.length;
  }

  /**
   * Lends the block that `bytes` lie in, for which `swap` takes another; undefined where there is none. The same bytes come on a buffer object of this
   * loan's own. Every array on it, and every part of one, refers to that object: it is gone when the last of them is. A batch itself could be gone while a
   * `subarray` of it is still read.
   */
  lend(
    { byteOffset, byteLength }: Uint8Array,
    elements: number,
    swap: (spare: number) => number,
  ): { readonly bytes: Uint8Array; readonly loan: Loan } | undefined {
    const spare = this.#free.pop();
    if (spare === undefined) return undefined;
    const block = swap(spare);
    const buffer = structuredClone(this.#memory);
    const loan: Loan = new Loan(elements, () => {
      this.#forgotten.unregister(loan);
      this.#free.push(block);
    });
    this.#forgotten.register(buffer, loan, loan);
    return { bytes: new Uint8Array(buffer, byteOffset, byteLength), loan };
  }
}
