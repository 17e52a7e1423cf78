import { hashText, Random } from '../../../math/random.ts';
import type { Context } from '../../contract/context.ts';
import type { NumberArrays, NumberArrayType, Out } from '../../contract/tensor.ts';

/** Knows where the numbers of the next result belong. */
interface Places {
  again(): void;
  place<K extends keyof NumberArrays>(type: NumberArrayType<K>, length: number): NumberArrays[K] | undefined;
}

/** One per operator and lane, keyed anew for every element. Random numbers cost nothing until they are drawn. */
export class ElementContext implements Context {
  readonly rng = new Random();
  epoch = 0;
  index = 0;
  readonly #seed: number;
  readonly #operator: number;
  readonly #owner: { readonly signal: AbortSignal };
  readonly #places: Places | undefined;
  #out: Out | undefined;

  /** `owner`: whose signal it hands on. */
  constructor(operator: string, seed: number, owner: { readonly signal: AbortSignal }, places?: Places) {
    this.#operator = hashText(operator);
    this.#seed = seed;
    this.#owner = owner;
    this.#places = places;
  }

  get signal(): AbortSignal {
    return this.#owner.signal;
  }

  /** A function of its own, for it is taken out of its object. */
  get out(): Out {
    this.#out ??= (type, length) => this.#places?.place(type, length) ?? (new type(length) as never);
    return this.#out;
  }

  of(sequence: number, sub: number): this {
    this.#places?.again();
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
