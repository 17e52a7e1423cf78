import { hashText, Random } from '../../math/random.ts';
import type { Context } from '../api/context.ts';

/** One per operator and lane, keyed anew for every element. Random numbers cost nothing until they are drawn. */
export class ElementContext implements Context {
  readonly rng = new Random();
  readonly signal: AbortSignal;
  epoch = 0;
  index = 0;
  readonly #seed: number;
  readonly #operator: number;

  constructor(operator: string, seed: number, signal: AbortSignal) {
    this.#operator = hashText(operator);
    this.#seed = seed;
    this.signal = signal;
  }

  of(sequence: number, sub: number): this {
    this.index = sequence;
    this.rng.rekey(this.#seed, this.#operator, this.epoch, sequence, sub);
    return this;
  }
}

/** The random places of a shuffle: one draw per arrival, keyed by its number. */
export function drawPlaces(operator: string, seed: number): (arrival: number, below: number) => number {
  const random = new Random();
  const key = hashText(operator);
  return (arrival, below) => {
    random.rekey(seed, key, 0, arrival, 0);
    return random.int(below);
  };
}
