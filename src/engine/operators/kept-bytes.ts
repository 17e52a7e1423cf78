import { VenturiError } from '../../model/errors.ts';
import { objectsIn, sizeOf } from '../contract/element-size.ts';

/** Bytes of a V8 object beside its values: three words of header, and its place in a list. */
const OBJECT_BYTES = 32;

/** About what `value` takes up in a heap. */
export const heapBytes = (value: unknown): number => sizeOf(value) + OBJECT_BYTES * objectsIn(value);

/** About what an operator keeps in memory until the end of its pass. More than it may is an error. */
export class KeptBytes {
  readonly #limit: number;
  readonly #owner: string;
  #bytes = 0;

  constructor(owner: string, limit: number) {
    this.#owner = owner;
    this.#limit = limit;
  }

  /** `what`: what it keeps, in words. */
  add(bytes: number, what: () => string): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limit) return;
    throw new VenturiError(
      'VENTURI_BUDGET_TOO_SMALL',
      `${this.#owner} keeps ${what()}, which take more than the ${this.#limit} bytes it may keep`,
      { remedy: 'give it a larger limit or the run more memory, or leave out elements and properties before it' },
    );
  }
}
