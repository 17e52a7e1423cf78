import type { Loss } from '../../../io/input/loss.ts';
import { appendLetter } from './dead-letter.ts';

/** Of those that are lost, this many are named. */
const NAMED = 3;

/** What one source gave up in one lane. */
export class Losses {
  readonly #operator: string;
  readonly #deadLetter: string | undefined;
  readonly #counts = { file: 0, record: 0 };
  readonly #first: Record<Loss['what'], string[]> = { file: [], record: [] };

  constructor(operator: string, deadLetter: string | undefined) {
    this.#operator = operator;
    this.#deadLetter = deadLetter;
  }

  readonly add = ({ what, path, error }: Loss): void => {
    this.#counts[what]++;
    if (this.#first[what].length < NAMED) this.#first[what].push(error.message);
    if (this.#deadLetter === undefined) return;
    appendLetter(this.#deadLetter, { operator: this.#operator, what, path, error: error.message });
  };

  get warnings(): readonly string[] {
    return (['file', 'record'] as const).flatMap(what => {
      const count = this.#counts[what];
      if (count === 0) return [];
      const first = this.#first[what];
      const named = first.length === 1 ? `the first was: ${first[0]}` : `the first were: ${first.join('; ')}`;
      return [`'${this.#operator}' gave up ${count} ${what}${count === 1 ? '' : 's'}; ${named}`];
    });
  }
}
