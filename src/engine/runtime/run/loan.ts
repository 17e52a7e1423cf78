import type { Lease } from '../../contract/lease.ts';

/** A chunk's memory in the hands of a consumer, until all elements in it were given back. */
export class Loan {
  readonly #giveBack: () => void;
  #left: number;

  /** `elements`: those that are in it. */
  constructor(elements: number, giveBack: () => void) {
    this.#left = elements;
    this.#giveBack = giveBack;
  }

  /** One element of it was given back. */
  returned(): void {
    if (--this.#left === 0) this.#giveBack();
  }

  /** Nobody refers to its memory any more. */
  forgotten(): void {
    if (this.#left <= 0) return;
    this.#left = 0;
    this.#giveBack();
  }
}

/** `loan` undefined: the element is its consumer's own. */
export function leaseOf<T>(value: T, loan: Loan | undefined): Lease<T> {
  let open = loan;
  const release = (): void => {
    const was = open;
    open = undefined;
    was?.returned();
  };
  return { value, isLent: loan !== undefined, release, [Symbol.dispose]: release };
}
