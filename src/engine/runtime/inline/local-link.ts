import { sizeOf } from '../../contract/element-size.ts';
import type { Position } from '../books/position.ts';
import { waysTooFarApart } from '../calls/failure.ts';
import { InlineOutput } from '../stage/inline-output.ts';
import type { Input, Piece } from '../stage/input.ts';
import { elementsPiece, landmarkPiece, markPiece } from '../stage/input.ts';
import { Unwanted } from '../stage/output.ts';

/** Whoever fills a link, when asked to. */
export interface Producer {
  readonly finished: boolean;
  step(): void | Promise<void>;
}

interface Queued {
  readonly piece: Piece;
  readonly bytes: number;
  next: Queued | undefined;
}

/** A stage's input from another stage on the same thread: what is not there yet is produced now. */
export class LocalInput implements Input {
  readonly own = false;
  readonly waited = 0;
  readonly #producer: () => Producer;
  /** Pieces not yet taken. */
  #first: Queued | undefined;
  #last: Queued | undefined;
  #arrived: (() => void) | undefined;
  skipBefore = 0;
  cancelled = false;
  /** About as much lies in it. */
  queuedBytes = 0;

  constructor(producer: () => Producer) {
    this.#producer = producer;
  }

  push(piece: Piece, bytes: number): void {
    if (this.cancelled) return;
    const queued: Queued = { piece, bytes, next: undefined };
    if (this.#last === undefined) this.#first = queued;
    else this.#last.next = queued;
    this.#last = queued;
    this.queuedBytes += bytes;
    this.#arrived?.();
  }

  next(): Piece | Promise<Piece> {
    for (;;) {
      const first = this.#first;
      if (first !== undefined) {
        this.#first = first.next;
        if (first.next === undefined) this.#last = undefined;
        this.queuedBytes -= first.bytes;
        return first.piece;
      }
      const producer = this.#producer();
      if (producer.finished || this.cancelled) return markPiece('closed', 0, 0);
      const stepped = producer.step();
      if (stepped instanceof Promise) return this.#sooner(stepped).then(() => this.next());
    }
  }

  /** Waits for the producer's step, or until that has given something and goes on. */
  #sooner(stepped: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#arrived = resolve;
      stepped.then(resolve, reject);
    });
  }

  ready(): boolean {
    return this.#first !== undefined;
  }

  used(): void {}

  skipTo(epoch: number): void {
    this.skipBefore = Math.max(this.skipBefore, epoch);
  }

  cancel(): void {
    this.cancelled = true;
    this.#first = undefined;
    this.#last = undefined;
    this.queuedBytes = 0;
  }
}

/** A stage's output to others on the same thread. */
export class LocalOutput extends InlineOutput {
  readonly #readers: readonly LocalInput[];
  readonly #identity: boolean;
  readonly #from: string;
  readonly #budget: number;
  #number = 0;

  /** `budget`: bytes that may wait for one reader while another one is served. */
  constructor(from: string, readers: readonly LocalInput[], identity: boolean, budget: number) {
    super();
    this.#from = from;
    this.#readers = readers;
    this.#identity = identity;
    this.#budget = budget;
  }

  override get skipBefore(): number {
    return Math.min(
      ...this.#readers.map(({ skipBefore, cancelled }) => (cancelled ? Number.POSITIVE_INFINITY : skipBefore)),
    );
  }

  override endChunk(): void {
    this.#emit();
  }

  override offer(): boolean {
    this.#emit();
    return false;
  }

  override flushEpoch(): void {
    this.#emit();
  }

  override mark(mark: 'epochEnd' | 'end'): void {
    this.#emit();
    this.#push(markPiece(mark, this.#number++, this.epoch));
  }

  override landmark(position: Position): void {
    this.#emit();
    // Nothing here makes batches chunk by chunk, which alone would ask what was sent.
    this.#push(landmarkPiece(this.#number++, { ...position, sent: 0 }));
  }

  #emit(): void {
    const { count, epoch } = this;
    if (count === 0) return;
    const sequence = this.#identity ? this.sequence.slice(0, count) : undefined;
    const sub = this.#identity ? this.sub.slice(0, count) : undefined;
    this.#push(elementsPiece(this.#number++, this.take(), 0, count, 0, epoch, sequence, sub));
  }

  #push(piece: Piece): void {
    if (this.#readers.every(({ cancelled }) => cancelled)) throw new Unwanted();
    const alone = this.#readers.length === 1;
    const value = (piece.values as ArrayLike<unknown>)[0];
    const bytes = alone || piece.to === 0 ? 0 : sizeOf(value) * piece.to;
    for (const reader of this.#readers) {
      reader.push(piece, bytes);
      if (reader.queuedBytes > this.#budget) throw waysTooFarApart(this.#from, this.#budget);
    }
  }
}
