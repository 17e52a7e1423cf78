import type { Position } from '../books/position.ts';
import { ChunkDecoder } from '../chunk/index.ts';
import { PART, type RingConsumer, readLandmark } from '../ring/index.ts';
import type { RingOutput } from './output.ts';
import type { Series } from './segment.ts';

/** What a stage is given next. */
export interface Piece {
  readonly kind: 'elements' | 'epochEnd' | 'end' | 'closed' | 'landmark';
  /** Number of the chunk. */
  readonly number: number;
  readonly values: ArrayLike<unknown> | Series;
  readonly from: number;
  readonly to: number;
  readonly sequence: ArrayLike<number> | undefined;
  readonly sub: ArrayLike<number> | undefined;
  /** Number at the source of position 0 of `values`, where `sequence` is not given. */
  readonly base: number;
  readonly bytes: number;
  readonly epoch: number;
  /** Of a landmark: where upstream stood. */
  readonly landmark?: Position;
}

/** Where a stage's elements come from. */
export interface Input {
  /** Getting elements is work of the stage's first operator: it reads them, or puts them together. */
  readonly own: boolean;
  /** Elements are counted like this, not stored. */
  readonly series: Series | undefined;
  /** The piece just received is not the last of its chunk. */
  readonly continues: boolean;
  readonly waited: number;
  next(): Piece | Promise<Piece>;
  /** The next piece is there already. */
  ready(): boolean;
  /** Takes in what has come on ports that bring no elements. True: there was something. */
  listen?(): boolean;
  /** Smaller pieces would leave calls of async functions unused. */
  atLeast(elements: number): void;
  /** The piece has been worked on, for `ns` of this lane's time; `made` elements were made of its chunk so far, and are handed on. */
  used(piece: Piece, ns: number, made: number): void;
  /** How long the lane works on an element: whoever fills this input fits its chunks to it. */
  pace(ns: number): void;
  /** Elements of passes before this one are no longer wanted; their ends still are. */
  skipTo(epoch: number): void;
  /** No more is wanted. */
  cancel(): void | Promise<void>;
  /** What the run's user should know. */
  readonly warnings?: readonly string[];
  /** Share of the input read, where known. */
  done(): number | undefined;
  /** Files its source has read to their end, over all passes. */
  files?(): number | undefined;
  /** Where it stands, as plain data, if it is an origin: when a run is resumed, it goes on from there. */
  save?(): unknown;
  /** What it has taken, by port. */
  taken?(): readonly Position[];
}

/** Spreading a template into every piece would cost more than all else about it. */
export const elementsPiece = (
  number: number,
  values: Piece['values'],
  from: number,
  to: number,
  base: number,
  epoch: number,
  sequence?: Piece['sequence'],
  sub?: Piece['sub'],
  bytes = 0,
): Piece => ({ kind: 'elements', number, values, from, to, sequence, sub, base, bytes, epoch });

export const markPiece = (kind: 'epochEnd' | 'end' | 'closed', number: number, epoch: number): Piece => ({
  kind,
  number,
  values: [],
  from: 0,
  to: 0,
  sequence: undefined,
  sub: undefined,
  base: 0,
  bytes: 0,
  epoch,
});

export const landmarkPiece = (number: number, landmark: Position): Piece => ({
  ...markPiece('closed', number, landmark.epoch),
  kind: 'landmark',
  landmark,
});

/** The ring that another stage fills. */
export class RingInput implements Input {
  readonly own = false;
  readonly series = undefined;
  readonly #ring: RingConsumer;
  readonly #borrow: boolean;
  readonly #lane: number;
  #inherited: number | undefined;
  readonly #decoder = new ChunkDecoder();
  #number = -1;
  #pace = 0;
  /** What its stage has made and not handed on. */
  output: Pick<RingOutput, 'count' | 'isTakeable' | 'offer'> | undefined;

  constructor(ring: RingConsumer, borrow: boolean, lane: number) {
    this.#ring = ring;
    this.#borrow = borrow;
    this.#lane = lane;
  }

  /** Starts with a chunk that another thread had claimed before it died. */
  resume(chunk: number): void {
    this.#inherited = chunk;
  }

  get waited(): number {
    return this.#ring.waited;
  }

  next(): Piece {
    const ring = this.#ring;
    // A chunk of several pieces stays with the lane that claimed it.
    if (this.#number < 0 || !this.continues) {
      this.#number = this.#inherited ?? ring.claim(this.#lane);
      this.#inherited = undefined;
    }
    this.#offer();
    while (!ring.receive(this.#number)) {
      if (!ring.isPassedOver(this.#number)) return markPiece('closed', this.#number, 0);
      this.#number = ring.claim(this.#lane);
    }
    const { flags, epoch, bytes, count } = ring;
    if ((flags & PART.end) !== 0) {
      ring.ended(this.#number);
      return markPiece('end', this.#number, epoch);
    }
    if ((flags & PART.epochEnd) !== 0) return markPiece('epochEnd', this.#number, epoch);
    if ((flags & PART.landmark) !== 0) return landmarkPiece(this.#number, readLandmark(bytes));
    const { values, sequence, sub } = this.#decoder.decode(bytes, this.#borrow);
    return elementsPiece(this.#number, values, 0, count, 0, epoch, sequence, sub, bytes.length);
  }

  /** Before it blocks for more, what there is goes on as soon as someone wants it. */
  #offer(): void {
    const { output } = this;
    if (output === undefined) return;
    while (output.count > 0 && !this.#ring.ready(this.#number)) {
      if (output.isTakeable) output.offer();
      else if (!this.#ring.waitUnless(this.#number, () => output.isTakeable)) return;
    }
  }

  ready(): boolean {
    const ring = this.#ring;
    if (this.#number >= 0 && this.continues) return ring.ready(this.#number);
    while (ring.isPassedOver(ring.unclaimed)) ring.claim(this.#lane);
    return ring.ready(ring.unclaimed);
  }

  atLeast(elements: number): void {
    this.#ring.leastElements = elements;
  }

  get continues(): boolean {
    return (this.#ring.flags & PART.again) !== 0;
  }

  used(piece: Piece, ns: number, made: number): void {
    this.#ring.release(piece.number, made);
    const count = piece.to - piece.from;
    if (count > 0 && ns > 0) this.pace(ns / count);
  }

  pace(ns: number): void {
    this.#pace = this.#pace === 0 ? ns : 0.7 * this.#pace + 0.3 * ns;
    this.#ring.pacePerElement = this.#pace;
  }

  skipTo(epoch: number): void {
    this.#ring.skipTo(epoch);
  }

  cancel(): void {
    this.#ring.close();
  }

  done(): undefined {
    return undefined;
  }
}
