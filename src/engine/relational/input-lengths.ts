import { badOption } from '../../model/option.ts';

const lengthOf = (input: unknown): number =>
  Array.isArray(input) || (ArrayBuffer.isView(input) && !(input instanceof DataView))
    ? (input as ArrayLike<unknown>).length
    : 0;

/** The lists that a query reads must be as long as when it was compiled: behind the end of one all values are missing, which would be taken for others. */
export class InputLengths {
  readonly #inputs: readonly unknown[];
  readonly #lengths: readonly number[];

  constructor(inputs: readonly unknown[]) {
    this.#inputs = inputs;
    this.#lengths = inputs.map(lengthOf);
  }

  check(): void {
    const at = this.#inputs.findIndex((input, place) => lengthOf(input) !== this.#lengths[place]);
    if (at < 0) return;
    throw badOption(
      `a column that had ${this.#lengths[at]} rows when the query was compiled has ${lengthOf(this.#inputs[at])}`,
      'leave the arrays of a table as they are while a query reads them: one that was handed to another thread, or cut, has lost its rows',
    );
  }
}
