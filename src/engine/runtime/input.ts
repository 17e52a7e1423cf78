import { isSeries, type SourceReader, type SourceSpec } from '../sources/source.ts';
import { ChunkDecoder } from './chunk/index.ts';
import { PART, type RingConsumer } from './ring.ts';
import type { Series } from './segment.ts';

/** What a stage is given next. */
export interface Piece {
  readonly kind: 'elements' | 'epochEnd' | 'end' | 'closed';
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
}

/** Where a stage's elements come from. */
export interface Input {
  /** Elements come from outside, not from another stage. */
  readonly source: boolean;
  /** Elements are counted like this, not stored. */
  readonly series: Series | undefined;
  /** The piece just received is not the last of its chunk. */
  readonly continues: boolean;
  readonly waited: number;
  next(): Piece | Promise<Piece>;
  /** Smaller pieces would leave calls of async functions unused. */
  atLeast(elements: number): void;
  /** The piece has been worked on, for `ns` of this lane's time. */
  used(piece: Piece, ns: number): void;
  /** Elements of passes before this one are no longer wanted; their ends still are. */
  skipTo(epoch: number): void;
  /** No more is wanted. */
  cancel(): void | Promise<void>;
  /** Share of the input read, where known. */
  done(): number | undefined;
  /** Files its source has read to their end, over all passes. */
  files?(): number | undefined;
}

const empty = { values: [], from: 0, to: 0, sequence: undefined, sub: undefined, base: 0, bytes: 0 } as const;

const STEP_NS = 1e6;
const MOST_STEP = 1 << 16;

/** Where passes are cut and the source does not say its length, their first elements are numbered this far apart. */
const MOST_IN_PASS = 2 ** 32;

/** How often the source is gone through, and whether to its end every time. */
export interface Passes {
  readonly count: number;
  readonly cut: boolean;
}

/** The first stage's input: the source itself, pass after pass. */
export class SourceInput implements Input {
  readonly source = true;
  readonly series: Series | undefined;
  readonly continues = false;
  readonly waited = 0;
  readonly #spec: SourceSpec;
  readonly #passes: Passes;
  readonly #signal: AbortSignal;
  readonly #fixedStep: number | undefined;
  #reader: SourceReader | undefined;
  #epoch = 0;
  /** Number of the pass's first element. */
  #base = 0;
  #position = 0;
  #number = 0;
  #step = 1;
  #least = 1;
  #wantedFrom = 0;

  constructor(spec: SourceSpec, passes: Passes, signal: AbortSignal, fixedStep: number | undefined) {
    this.#spec = spec;
    this.series = isSeries(spec) ? spec.series : undefined;
    this.#passes = passes;
    this.#signal = signal;
    this.#fixedStep = fixedStep;
  }

  next(): Piece | Promise<Piece> {
    if (this.#epoch < this.#wantedFrom) return this.#endPass();
    const step = this.#fixedStep ?? this.#step;
    if (isSeries(this.#spec)) {
      const from = this.#position;
      const to = Math.min(this.#spec.series.count, from + step);
      if (to === from) return this.#endPass();
      this.#position = to;
      return this.#elements(this.#spec.series, from, to, this.#base);
    }
    if (this.#reader !== undefined) return this.#read(this.#reader, step);
    const opened = this.#spec({ signal: this.#signal, epoch: this.#epoch });
    return opened instanceof Promise ? opened.then(reader => this.#read(reader, step)) : this.#read(opened, step);
  }

  #read(reader: SourceReader, step: number): Piece | Promise<Piece> {
    this.#reader = reader;
    const into: unknown[] = [];
    const count = reader.read(into, step);
    return count instanceof Promise ? count.then(arrived => this.#given(into, arrived)) : this.#given(into, count);
  }

  #given(into: unknown[], count: number): Piece | Promise<Piece> {
    if (count === 0) return this.#endPass();
    const base = this.#base + this.#position;
    this.#position += count;
    return this.#elements(into, 0, count, base);
  }

  #elements(values: ArrayLike<unknown> | Series, from: number, to: number, base: number): Piece {
    return { ...empty, kind: 'elements', number: this.#number++, values, from, to, base, epoch: this.#epoch };
  }

  #endPass(): Piece | Promise<Piece> {
    const closing = this.#reader?.close();
    this.#reader = undefined;
    this.#base += this.#passLength();
    this.#position = 0;
    const epoch = this.#epoch++;
    const kind = this.#epoch >= this.#passes.count ? 'end' : 'epochEnd';
    const piece: Piece = { ...empty, kind, number: this.#number++, epoch };
    return closing instanceof Promise ? closing.then(() => piece) : piece;
  }

  /** Numbers the pass takes up. How far a pass that was cut had got is a matter of timing, so it must not count. */
  #passLength(): number {
    if (isSeries(this.#spec)) return this.#spec.series.count;
    return this.#passes.cut ? MOST_IN_PASS : this.#position;
  }

  atLeast(elements: number): void {
    this.#least = elements;
    this.#step = Math.max(this.#step, elements);
  }

  used(piece: Piece, ns: number): void {
    if (piece.to - piece.from < this.#step) return;
    if (ns < STEP_NS / 2) this.#step = Math.min(MOST_STEP, this.#step * 2);
    else if (ns > STEP_NS * 2) this.#step = Math.max(this.#least, this.#step >> 1);
  }

  skipTo(epoch: number): void {
    this.#wantedFrom = epoch;
  }

  async cancel(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.close();
  }

  done(): number | undefined {
    if (!Number.isFinite(this.#passes.count)) return undefined;
    const inPass = isSeries(this.#spec)
      ? this.#position / Math.max(1, this.#spec.series.count)
      : (this.#reader?.done() ?? (this.#reader === undefined ? 0 : undefined));
    return inPass === undefined ? undefined : Math.min(1, (this.#epoch + inPass) / this.#passes.count);
  }

  files(): number | undefined {
    const files = this.#reader?.files?.();
    return files === undefined ? undefined : this.#epoch * files.all + files.read;
  }
}

/** Every later stage's input: the ring its upstream fills. */
export class RingInput implements Input {
  readonly source = false;
  readonly series = undefined;
  readonly #ring: RingConsumer;
  readonly #borrow: boolean;
  readonly #decoder = new ChunkDecoder();
  #number = -1;
  #pace = 0;

  constructor(ring: RingConsumer, borrow: boolean) {
    this.#ring = ring;
    this.#borrow = borrow;
  }

  get waited(): number {
    return this.#ring.waited;
  }

  next(): Piece {
    const ring = this.#ring;
    // A chunk of several pieces stays with the lane that claimed it.
    const again = this.#number >= 0 && (ring.flags & PART.again) !== 0;
    if (!again) this.#number = ring.claim();
    if (!ring.receive(this.#number)) return { ...empty, kind: 'closed', number: this.#number, epoch: 0 };
    const { flags, epoch, bytes, count } = ring;
    if ((flags & PART.end) !== 0) {
      ring.ended(this.#number);
      return { ...empty, kind: 'end', number: this.#number, epoch };
    }
    if ((flags & PART.epochEnd) !== 0) return { ...empty, kind: 'epochEnd', number: this.#number, epoch };
    const { values, sequence, sub } = this.#decoder.decode(bytes, this.#borrow);
    return {
      ...empty,
      kind: 'elements',
      number: this.#number,
      values,
      to: count,
      sequence,
      sub,
      bytes: bytes.length,
      epoch,
    };
  }

  atLeast(elements: number): void {
    this.#ring.leastElements = elements;
  }

  get continues(): boolean {
    return (this.#ring.flags & PART.again) !== 0;
  }

  used(piece: Piece, ns: number): void {
    this.#ring.release(piece.number);
    const count = piece.to - piece.from;
    if (count === 0) return;
    this.#pace = this.#pace === 0 ? ns / count : 0.7 * this.#pace + 0.3 * (ns / count);
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
