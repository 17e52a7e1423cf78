/**
 * A place in the elements that leave an operator: how many of the origin's pass `epoch` come before it. The same in every run
 * of a graph, whatever its threads and chunks: that is what makes a checkpoint mean the same to all of them.
 */
export interface Position {
  readonly epoch: number;
  readonly index: number;
}

/** Where an operator stood, on its way downstream among the elements. */
export interface SentLandmark extends Position {
  /** Elements of that pass which had left the stage that numbers the chunks: all that are on the way before it. */
  readonly sent: number;
}

export const BEGINNING: Position = { epoch: 0, index: 0 };

/** Below zero: `a` comes first. */
export const compare = (a: Position, b: Position): number => a.epoch - b.epoch || a.index - b.index;

/** Keeps count of elements as they pass. */
export class Tally {
  #epoch: number;
  #index: number;

  constructor({ epoch, index }: Position = BEGINNING) {
    this.#epoch = epoch;
    this.#index = index;
  }

  get position(): Position {
    return { epoch: this.#epoch, index: this.#index };
  }

  passed(epoch: number, count: number): void {
    if (epoch !== this.#epoch) this.#index = 0;
    this.#epoch = epoch;
    this.#index += count;
  }

  ended(epoch: number): void {
    this.#epoch = epoch + 1;
    this.#index = 0;
  }

  /** Where it stands when whoever writes to it stands at `upstream`: a pass may have begun of which nothing has come yet. */
  under(upstream: Position): Position {
    return upstream.epoch > this.#epoch ? { epoch: upstream.epoch, index: 0 } : this.position;
  }
}
