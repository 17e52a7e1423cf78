import { ChunkDecoder } from '../chunk/index.ts';
import { PART, type RingConsumer, readLandmark } from '../ring/index.ts';
import { elementsPiece, type Input, landmarkPiece, markPiece, type Piece } from '../stage/input.ts';
import type { RingOutput } from './ring-output.ts';

/** The ring that another stage fills. */
export class RingInput implements Input {
  readonly own = false;
  readonly #ring: RingConsumer;
  readonly #borrow: boolean;
  readonly #lane: number;
  readonly #gathered: number;
  /** Elements of this chunk that were taken, beyond whole batches. */
  #held = 0;
  #inherited: number | undefined;
  readonly #decoder = new ChunkDecoder();
  #number = -1;
  /** What its stage has made and not handed on. */
  output: Pick<RingOutput, 'count' | 'isTakeable' | 'offer'> | undefined;

  /** `gathered`: elements that its stage makes one of, chunk by chunk. */
  constructor(ring: RingConsumer, borrow: boolean, lane: number, gathered = 1) {
    this.#ring = ring;
    this.#borrow = borrow;
    this.#lane = lane;
    this.#gathered = gathered;
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
    const count = piece.to - piece.from;
    this.#held = this.continues ? (this.#held + count) % this.#gathered : 0;
    this.#ring.release(piece.number, made, this.#held > 0);
    if (count > 0 && ns > 0) this.pace(ns / count);
  }

  pace(ns: number): void {
    this.#ring.paced(ns);
  }

  skipTo(epoch: number): void {
    this.#ring.skipTo(epoch);
  }

  cancel(): void {
    this.#ring.close();
  }
}
