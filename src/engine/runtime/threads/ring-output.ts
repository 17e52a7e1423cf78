import { sumOf } from '../../../math/totals.ts';
import { MADE_NS, MOST_ELEMENTS } from '../../compile/chunk-size.ts';
import type { Clock } from '../books/clock.ts';
import { type Position, type SentLandmark, Tally } from '../books/position.ts';
import { ChunkEncoder, isInt } from '../chunk/index.ts';
import { landmarkBytes, PART, type RingProducer } from '../ring/index.ts';
import type { MemoryGuard } from '../stage/memory-guard.ts';
import { type Output, Unwanted } from '../stage/output.ts';
import { Berth } from './berth.ts';
import { Cutting, type CuttingOptions } from './cutting.ts';
import { PartGrowth } from './part-growth.ts';

/**
 * Lanes that keep nothing hand on part of a chunk after this long, and not before: the rest of it has to wait until the part has been
 * worked on, and its lane with it.
 */
const PART_NS = 1e8;

const NONE: ReadonlySet<RingProducer> = new Set();

/** Integers of a flat output are gathered in memory of their own up to this many; it is allocated at once. */
const MOST_INTS = 1 << 16;

export interface OutputOptions extends CuttingOptions {
  readonly identity: boolean;
  /** The stage keeps nothing from chunk to chunk: its chunks carry the numbers of the chunks they came from. */
  readonly aligned: boolean;
  /** The stage ends in a batch of this many items: they lie flat. 0: it does not. */
  readonly rowLength: number;
  /** Position of the first element that leaves it, in a run that was resumed. */
  readonly start: Position | undefined;
  /** By ring: lanes that read from it. */
  readonly readers: readonly number[];
  /** Looked after in the midst of a piece: what was made of it may be many times as large. */
  readonly memory: Pick<MemoryGuard, 'allowance' | 'check' | 'held'>;
}

/** Fits chunks to their consumers' pace and writes them into a ring for each. */
export class RingOutput implements Output {
  readonly values: unknown[] = [];
  readonly sequence: number[] = [];
  readonly sub: number[] = [];
  count = 0;
  flat = 0;
  rest = 0;
  /** The items of a flat output while all of them are integers. */
  ints: Int32Array | undefined;
  limit: number;
  /** Where chunks are cut; `limit` is higher while nobody waits for the chunk. */
  readonly #cutting: Cutting;
  /** Elements that have left, where chunks are numbered here. */
  readonly #sent: Tally;
  failed: number | undefined;
  epoch = 0;
  spent = 0;
  elements = 0;
  bytes = 0;
  /** Those that someone still reads from. */
  #rings: readonly RingProducer[];
  readonly #allRings: readonly RingProducer[];
  readonly #clock: Clock;
  readonly #options: OutputOptions;
  readonly #encoder = new ChunkEncoder();
  readonly #berth = new Berth();
  /** Chunks before this one were made in their slots: the slot is waited for before the chunk is begun. */
  #lends = false;
  #number = 0;
  #made = 0;
  /** When the last chunk left, if that was in the midst of the piece, and when the memory was last looked at. */
  #leftAt = Number.NaN;
  #lookedAt = Number.NaN;
  /** When a part of this chunk last left, or the chunk was begun. */
  #emittedAt = Number.NaN;
  readonly #growth: PartGrowth;
  /** Elements that the thread before this one had handed on already, by ring. */
  readonly #skips = new Map<RingProducer, number>();

  constructor(rings: readonly RingProducer[], clock: Clock, options: OutputOptions) {
    this.#rings = rings;
    this.#allRings = rings;
    this.#clock = clock;
    this.#options = options;
    this.#sent = new Tally(options.start);
    this.#cutting = new Cutting(options);
    this.#growth = new PartGrowth(options.memory);
    this.limit = this.#cutting.limit;
    if (this.rowLength > 0) this.#reserve(new Int32Array(0));
  }

  get rowLength(): number {
    return this.#options.rowLength;
  }

  get arrays(): number {
    return this.#encoder.arrays;
  }

  get missing(): number {
    return this.#cutting.missing(this.count);
  }

  get waited(): number {
    return sumOf(this.#allRings, ring => ring.waited);
  }

  get transported(): number {
    return sumOf(this.#allRings, ring => ring.transported);
  }

  /** What one consumer has left another may still want. */
  get skipBefore(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const ring of this.#rings) least = Math.min(least, ring.skipBefore);
    return least;
  }

  full(more = true): void {
    // A divided stage cannot start a new number: the rest follows as a further piece of the same chunk. Where there is no rest,
    // the end of the chunk goes with what there is: a piece of its own would wait until the consumer is done with this one.
    if (this.#options.aligned && !more) return;
    let now = this.#clock.now();
    if (this.#options.aligned && !this.#isAwaited && this.#mayGather()) {
      this.limit = this.count + this.#cutting.fitted;
      if (this.ints !== undefined) this.#reserve(this.ints);
    } else {
      if (this.#leftAt > 0) this.#cutting.ownPace = (now - this.#leftAt) / this.count;
      this.#emit(this.#options.aligned ? PART.again : 0);
      now = this.#clock.now();
      this.#leftAt = now;
    }
    if (now - this.#lookedAt < MADE_NS) return;
    this.#lookedAt = now;
    this.#options.memory.check();
  }

  /** A consumer waits for more of this chunk, and no ring is full; or a consumer has gone, which the next part tells. */
  get #isAwaited(): boolean {
    const [rings, number] = [this.#rings, this.#number];
    if (rings.some(ring => ring.isClosed(number))) return true;
    return rings.some(ring => ring.isClaimed(number)) && rings.every(ring => ring.hasRoom(number));
  }

  /**
   * A part that nobody waits for need not leave: the next part would wait until it was taken, behind all chunks before it, and the lane
   * with it, however little of its own chunk is done. So it grows within a slot.
   */
  #mayGather(): boolean {
    const { chunkElements, mostElements = MOST_ELEMENTS } = this.#options;
    const { bytesPerElement, fitted } = this.#cutting;
    if (chunkElements !== undefined || Number.isNaN(bytesPerElement)) return false;
    const next = this.count + fitted;
    if (next > Math.min(mostElements, MOST_ELEMENTS)) return false;
    if (this.#rings.some(ring => next * bytesPerElement > ring.largeSlotBytes)) return false;
    return this.#growth.mayReach(next, this.count);
  }

  startChunk(number: number): void {
    this.#leftAt = Number.NaN;
    if (!this.#options.aligned) return;
    this.#emittedAt = this.#clock.now();
    if (number === this.#number) return;
    this.#number = number;
    this.#made = 0;
    if (this.#lends) this.#alone?.awaitPlace(number);
  }

  get made(): number {
    return this.#made;
  }

  /** Goes on with chunk `number` where another thread died; `made` elements of it come from pieces that will not come again. */
  resume(number: number, made: number): void {
    this.#number = number;
    this.#made = made;
    for (const ring of this.#rings) this.#skips.set(ring, ring.resume(number) - made);
  }

  /** What was made of the piece goes on before the piece is given up: it could not be made again. */
  endPiece(): void {
    if (this.#options.aligned && this.count > 0) this.#emit(PART.again);
  }

  endChunk(): void {
    if (this.#options.aligned) {
      this.#emit(0);
      return;
    }
    // A consumer that has nothing to do is worth a short chunk.
    if (this.count === 0 || this.#options.chunkElements !== undefined || !this.#someoneIdle()) return;
    if (this.missing === 0) this.#emit(0);
    else this.limit = this.count + this.missing;
  }

  offer(): boolean {
    if (this.count === 0) return false;
    if (!this.isTakeable) return true;
    this.#emit(this.#options.aligned || this.missing > 0 ? PART.again : 0);
    return false;
  }

  /** A lane has nothing to do, and no ring is so full that giving it something would take time. */
  get isTakeable(): boolean {
    if (this.#options.aligned && !this.#isDue) return false;
    let someoneIdle = false;
    for (const ring of this.#rings) {
      if (!ring.hasRoom(this.#number)) return false;
      someoneIdle ||= ring.occupied < (this.#options.readers[this.#allRings.indexOf(ring)] ?? 1);
    }
    return someoneIdle;
  }

  /** A whole part goes as soon as someone waits for it, less after a while. */
  get #isDue(): boolean {
    if (this.count >= this.#cutting.fitted && this.#isAwaited) return true;
    return this.#clock.now() - this.#emittedAt >= PART_NS;
  }

  #someoneIdle(): boolean {
    for (const ring of this.#rings) if (ring.occupied === 0) return true;
    return false;
  }

  flushEpoch(): void {
    if (this.count > 0 || this.#cutting.isBegun) this.#emit(0);
  }

  absorb(): void {
    // The number of the chunk with the mark must not be missing to those that read chunks in order.
    if (this.#options.aligned) this.#emit(0);
    else this.flushEpoch();
  }

  mark(mark: 'epochEnd' | 'end'): void {
    if (!this.#options.aligned) this.flushEpoch();
    this.#emit(PART[mark]);
  }

  landmark(position: Position | SentLandmark): void {
    if (!this.#options.aligned) this.flushEpoch();
    const landmark = 'sent' in position ? position : { ...position, sent: this.#sent.under(position).index };
    // A thread before this one may have died over it; there is nothing in it to be skipped.
    this.#skips.clear();
    this.#berth.close();
    this.#berth.clear();
    this.#write(landmarkBytes(landmark), 0, PART.landmark, NONE);
    if (!this.#options.aligned) this.#number++;
  }

  /** The items of a flat output's row that is not complete; the complete ones have gone. */
  held(): unknown[] {
    return this.ints === undefined ? this.values.slice(0, this.flat) : [...this.ints.subarray(0, this.flat)];
  }

  /** Sees to it that nothing is held back any more. */
  settle(): void {
    for (const ring of this.#rings) ring.settle();
  }

  /** In the slot of the chunk, where one reader alone gets it, and has room; small batches have room elsewhere. */
  lend(bytes: number, vacate: () => boolean): Uint8Array | undefined {
    const ring = this.#alone;
    if (ring === undefined || !ring.isLarge(bytes)) return undefined;
    this.#lends = true;
    return this.#berth.lend(ring.place(this.#number), this.count === 0, bytes, vacate);
  }

  #emit(flags: number): void {
    const began = this.#clock.now();
    const { count } = this;
    const identity = this.#options.identity ? this : undefined;
    const written = this.#skips.size > 0 ? this.#writeRest(flags) : NONE;
    const made = this.#berth.close();
    const place = count > 0 && written.size === 0 ? (this.#berth.slot ?? this.#place(count)) : undefined;
    const bytes =
      this.rowLength > 0
        ? this.#encodeRows(count, place)
        : this.#encoder.encode(this.values, 0, count, identity, place, count > 0 ? made : 0);
    this.#berth.clear();
    this.#write(bytes, count, flags, written);
    this.#made += count;
    this.#cutting.gone(count, (flags & PART.again) !== 0);
    if (!this.#options.aligned) this.#sent.passed(this.epoch, count);
    if ((flags & PART.again) === 0 && !this.#options.aligned) this.#number++;
    this.elements += count;
    this.bytes += bytes.length;
    this.count = 0;
    this.#growth.restart();
    if (count > 0) this.#fit(bytes.length / count);
    this.limit = this.#cutting.limit;
    if (this.ints !== undefined) this.#reserve(this.ints);
    this.#emittedAt = this.#clock.now();
    this.spent += this.#emittedAt - began;
  }

  /** Large chunks are made where they travel, if one reader alone gets them and has room: that is a copy less, and no memory for it. */
  #place(count: number): Uint8Array | undefined {
    const ring = this.#alone;
    return ring?.isLarge(count * this.#cutting.bytesPerElement) ? ring.awaitPlace(this.#number) : undefined;
  }

  /** The one ring that everything goes to. */
  get #alone(): RingProducer | undefined {
    const [ring, ...others] = this.#rings;
    return others.length > 0 || this.#skips.size > 0 ? undefined : ring;
  }

  #write(bytes: Uint8Array, count: number, flags: number, written: ReadonlySet<RingProducer>): void {
    for (const ring of this.#rings) {
      if (written.has(ring)) continue;
      if (count <= this.#options.whole && bytes.length > ring.largeSlotBytes) ring.flow.wentInParts(bytes.length);
      if (ring.write(this.#number, bytes, count, this.epoch, flags)) continue;
      this.#rings = this.#rings.filter(other => other !== ring);
    }
    if (this.#rings.length === 0) throw new Unwanted();
  }

  /** Rings that have some of this already get the rest. */
  #writeRest(flags: number): ReadonlySet<RingProducer> {
    const { count } = this;
    const written = new Set(this.#skips.keys());
    for (const [ring, skip] of this.#skips) {
      const from = Math.min(skip, count);
      const more = (flags & PART.again) !== 0;
      if (from < count || !more) {
        const bytes = this.#encodeFrom(from);
        ring.write(this.#number, bytes, count - from, this.epoch, flags);
      }
      if (more) this.#skips.set(ring, skip - from);
      else this.#skips.delete(ring);
    }
    return written;
  }

  /** Puts an item at its place in a flat output. Gives what `ints` is from then on. */
  put(value: unknown, at: number): Int32Array | undefined {
    const { ints, values } = this;
    if (ints !== undefined) {
      if (isInt(value) && at < ints.length) {
        ints[at] = value;
        return ints;
      }
      this.#loosen(ints, at);
    }
    if (at < values.length) values[at] = value;
    else values.push(value);
    return undefined;
  }

  /** From now on items are anything. */
  #loosen(ints: Int32Array, used: number): void {
    this.values.length = 0;
    for (let at = 0; at < used; at++) this.values.push(ints[at]);
    this.ints = undefined;
  }

  /** Room for the integers of a whole chunk, so that the loop need not look. */
  #reserve(ints: Int32Array): void {
    const needed = this.limit * this.rowLength;
    if (needed <= ints.length) return;
    if (needed <= MOST_INTS) {
      this.ints = new Int32Array(needed);
      this.ints.set(ints);
    } else {
      this.#loosen(ints, this.flat);
    }
  }

  /** All elements but the first `from`. */
  #encodeFrom(from: number): Uint8Array {
    const { values, ints, count, rowLength } = this;
    if (rowLength === 0) return this.#encoder.encode(values, from, count, this.#options.identity ? this : undefined);
    const used = this.#usedFlat(count);
    const items = (ints ?? values).slice(from * rowLength, used);
    return this.#encoder.encodeRows(items, items.length, count - from, rowLength);
  }

  /** Items of the first `rows` rows of a flat output. */
  #usedFlat(rows: number): number {
    return this.rest > 0 ? (rows - 1) * this.rowLength + this.rest : rows * this.rowLength;
  }

  /** What is left of a row that is not complete moves to the front. */
  #encodeRows(rows: number, place: Uint8Array | undefined): Uint8Array {
    const { values, ints, flat, rowLength } = this;
    const used = this.#usedFlat(rows);
    const bytes = this.#encoder.encodeRows(ints ?? values, used, rows, rowLength, place);
    if (ints !== undefined) ints.copyWithin(0, used, flat);
    else for (let at = used; at < flat; at++) values[at - used] = values[at];
    this.flat = flat - used;
    this.rest = 0;
    return bytes;
  }

  /** The next chunk's size, from what an element weighs. */
  #fit(bytesPerElement: number): void {
    // Large elements are let go at once instead of when their place is used again.
    if (bytesPerElement > 1024 * Math.max(1, this.rowLength)) this.values.length = this.flat;
    this.#cutting.fit(bytesPerElement, this.#rings);
  }
}
