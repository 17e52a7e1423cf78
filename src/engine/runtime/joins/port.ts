import { BEGINNING, compare, type Position, Tally } from '../books/position.ts';
import type { InputStart } from '../checkpoint/journal-entry.ts';
import type { Input, Piece } from '../stage/input.ts';

export interface PortOptions {
  /** It ends in a sink: no elements come, only ends and landmarks. */
  readonly silent?: boolean | undefined;
  /** In a run that was resumed. */
  readonly start?: InputStart | undefined;
  /** Called with where upstream stood when `at` had arrived. */
  readonly landmark?: ((of: Position, at: Position) => void) | undefined;
}

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

  /** Pending read, shared by all callers until it ends. */
  #filling: Promise<void> | undefined;
  /** The lane waits in here for what comes next. */
  #waiting = false;
  /** What has arrived, and what had been taken when the run was saved: that is not wanted again. */
  readonly #arrived: Tally;
  readonly #until: Position;
  /** Pass of the elements at hand, or of the end that came. */
  #epoch = 0;
  #left = false;
  readonly silent: boolean;
  readonly #landmark: PortOptions['landmark'];

  constructor(input: Input, perPass: number, { start, landmark, silent = false }: PortOptions = {}) {
    this.#input = input;
    this.silent = silent;
    this.#perPass = perPass;
    this.#arrived = new Tally(start?.from);
    this.#until = start?.until ?? BEGINNING;
    this.#landmark = landmark;
  }

  /** What it has handed on. An end that came counts when the join has entered the next pass. */
  get taken(): Position {
    const { epoch, index } = this.#arrived.position;
    const position = { epoch, index: index - this.available };
    return compare(position, this.#until) < 0 ? this.#until : position;
  }

  get input(): Input {
    return this.#input;
  }

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
      this.#waiting = true;
      const piece = this.#input.next();
      this.#waiting = false;
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

  /** Takes in what is there of a port that brings no elements. True: there was something. */
  listen(): boolean {
    let heard = false;
    if (this.#waiting || this.#filling !== undefined) return heard;
    while (this.over === undefined && this.#input.ready()) {
      const piece = this.#input.next();
      if (piece instanceof Promise) throw new Error('what is ready is there at once');
      this.#accept(piece);
      heard = true;
    }
    return heard;
  }

  #accept(piece: Piece): void {
    if (piece.landmark !== undefined) this.#pass(piece.landmark);
    else if (piece.kind === 'elements') this.#elements(piece);
    else if (piece.kind !== 'landmark') this.#end(piece.kind, piece.epoch);
    // The elements are copies: their slot is free.
    if (piece.kind !== 'closed') this.#input.used(piece, 0, 0);
  }

  #elements({ values, from, to, epoch }: Piece): void {
    this.#arrived.passed(epoch, 0);
    const { index } = this.#arrived.position;
    const had =
      epoch === this.#until.epoch
        ? this.#until.index - index
        : epoch < this.#until.epoch
          ? Number.POSITIVE_INFINITY
          : 0;
    this.#arrived.passed(epoch, to - from);
    this.values = values as ArrayLike<unknown>;
    this.at = Math.min(to, from + Math.max(0, had));
    this.to = to;
    this.#epoch = epoch;
  }

  #end(kind: 'epochEnd' | 'end' | 'closed', epoch: number): void {
    this.#epoch = epoch;
    if (kind === 'epochEnd' && epoch < this.#until.epoch) this.#arrived.ended(epoch);
    else this.over = kind;
  }

  /** Upstream stood there when all that arrived so far had been sent, and it has been taken. */
  #pass(of: Position): void {
    const at = this.#arrived.under(of);
    if (!this.#left && compare(at, this.#until) >= 0) this.#landmark?.(of, at);
  }

  /** Nothing more of this pass is wanted, and nothing of those before pass `next` of the join. */
  leave(next: number): void {
    this.at = this.to;
    this.#left = true;
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
    if (this.over !== 'epochEnd') return;
    this.over = undefined;
    this.#left = false;
    this.#arrived.ended(this.#epoch);
  }
}
