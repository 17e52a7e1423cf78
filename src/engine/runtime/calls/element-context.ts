import { hashText, Random } from '../../../math/random.ts';
import type { Context } from '../../contract/context.ts';

/** One per operator and lane, keyed anew for every element. Random numbers cost nothing until they are drawn. */
export class ElementContext implements Context {
  readonly rng = new Random();
  epoch = 0;
  index = 0;
  readonly #seed: number;
  readonly #operator: number;
  readonly #owner: { readonly signal: AbortSignal };

  /** `owner`: whose signal it hands on. */
  constructor(operator: string, seed: number, owner: { readonly signal: AbortSignal }) {
    this.#operator = hashText(operator);
    this.#seed = seed;
    this.#owner = owner;
  }

  get signal(): AbortSignal {
    return this.#owner.signal;
  }

  of(sequence: number, sub: number): this {
    this.index = sequence;
    this.rng.rekey(this.#seed, this.#operator, this.epoch, sequence, sub);
    return this;
  }
}

/** The random indices of a shuffle: one draw per departure, keyed by the source's pass and its number since the start over. */
export function drawIndices(
  operator: string,
  seed: number,
  epoch: () => number,
  random: Random,
): (departure: number, below: number) => number {
  const key = hashText(operator);
  return (departure, below) => {
    random.rekey(seed, key, epoch(), departure, 0);
    return random.int(below);
  };
}
