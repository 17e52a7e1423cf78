import type { Input, Piece } from '../input.ts';

/** One of the inputs of an operator that reads from several. */
export class Port {
  readonly #input: Input;
  /** Passes of its own origin that make up one of the join's. */
  readonly #perPass: number;
  values: ArrayLike<unknown> = [];
  at = 0;
  to = 0;
  /** Its elements of this pass are used up, or it has none any more. */
  over: 'epochEnd' | 'end' | 'closed' | undefined;

  /** What is awaited already is not asked for twice. */
  #filling: Promise<void> | undefined;

  constructor(input: Input, perPass: number) {
    this.#input = input;
    this.#perPass = perPass;
  }

  get input(): Input {
    return this.#input;
  }

  /** Elements at hand. */
  get available(): number {
    return this.to - this.at;
  }

  /** Elements, or the end of the pass, can be had without waiting. */
  get ready(): boolean {
    return this.#filling === undefined && (this.available > 0 || this.over !== undefined || this.#input.ready());
  }

  /** Sees to it that an element is at hand, unless the pass is over. */
  fill(): void | Promise<void> {
    if (this.#filling !== undefined) return this.#filling;
    while (this.available === 0 && this.over === undefined) {
      const piece = this.#input.next();
      if (piece instanceof Promise) {
        this.#filling = piece.then(arrived => {
          this.#filling = undefined;
          this.#accept(arrived);
          return this.fill();
        });
        return this.#filling;
      }
      this.#accept(piece);
    }
    return undefined;
  }

  #accept(piece: Piece): void {
    if (piece.kind === 'elements') {
      this.values = piece.values as ArrayLike<unknown>;
      this.at = piece.from;
      this.to = piece.to;
    } else {
      this.over = piece.kind;
    }
    // The elements are copies: their slot is free.
    if (piece.kind !== 'closed') this.#input.used(piece, 0, 0);
  }

  /** Nothing more of this pass is wanted, and nothing of those before pass `next` of the join. */
  leave(next: number): void {
    this.at = this.to;
    if (this.over === undefined) this.#input.skipTo(next * this.#perPass);
  }

  /** Reads on to the end of the pass, and keeps nothing. */
  drain(): void | Promise<void> {
    while (this.over === undefined) {
      const filling = this.fill();
      this.at = this.to;
      if (filling instanceof Promise) return filling.then(() => this.drain());
    }
    this.at = this.to;
    return undefined;
  }

  /** Nothing more is wanted at all. */
  cancel(): void | Promise<void> {
    this.at = this.to;
    if (this.over === 'end' || this.over === 'closed') return undefined;
    this.over = 'closed';
    return this.#input.cancel();
  }

  enterPass(): void {
    if (this.over === 'epochEnd') this.over = undefined;
  }
}
