import { elementsPiece, markPiece, type Piece } from './input.ts';
import type { Series } from './segment.ts';

/** How often an origin goes through its elements, and whether to their end every time. */
export interface Passes {
  readonly count: number;
  readonly cut: boolean;
}

/** Where a counter stood. */
export interface SavedPasses {
  readonly base: number;
  readonly position: number;
  readonly epoch: number;
}

/** Where passes are cut and nobody knows their length, their first elements are numbered this far apart. */
const MOST_IN_PASS = 2 ** 32;

/** Numbers the elements of an origin and counts its passes. */
export class PassCounter {
  readonly #passes: Passes;
  #pieces = 0;
  /** Number of the pass's first element. */
  #base = 0;
  /** Elements of this pass so far. */
  position = 0;
  epoch = 0;

  constructor(passes: Passes, saved?: SavedPasses) {
    this.#passes = passes;
    if (saved === undefined) return;
    this.#base = saved.base;
    this.position = saved.position;
    this.epoch = saved.epoch;
  }

  save(): SavedPasses {
    return { base: this.#base, position: this.position, epoch: this.epoch };
  }

  get last(): boolean {
    return this.epoch + 1 >= this.#passes.count;
  }

  /** Elements `from` to `to` of `values` come next. */
  elements(values: ArrayLike<unknown> | Series, from: number, to: number): Piece {
    const base = this.#base + this.position - from;
    this.position += to - from;
    return elementsPiece(this.#pieces++, values, from, to, base, this.epoch);
  }

  /** The pass is over. `length`: the numbers it takes up, where that is known even if it was cut short. */
  endPass(length?: number): Piece {
    // How far a pass that was cut had got is a matter of timing, so it must not count.
    this.#base += length ?? (this.#passes.cut ? MOST_IN_PASS : this.position);
    const kind = this.last ? 'end' : 'epochEnd';
    this.position = 0;
    return markPiece(kind, this.#pieces++, this.epoch++);
  }

  closed(): Piece {
    return markPiece('closed', this.#pieces++, this.epoch);
  }

  /** Share of all passes, where `inPass` of this one is done. */
  share(inPass: number | undefined): number | undefined {
    if (inPass === undefined || !Number.isFinite(this.#passes.count)) return undefined;
    return Math.min(1, (this.epoch + inPass) / this.#passes.count);
  }
}
