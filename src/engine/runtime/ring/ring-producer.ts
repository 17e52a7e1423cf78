import { SharedLine } from '../../../io/storage/shared-line.ts';
import type { Clock } from '../books/clock.ts';
import type { Flow } from '../books/flow.ts';
import {
  ALLOWED,
  CLAIMED,
  CLOSED,
  COUNT,
  EPOCH,
  FLAGS,
  HANDED_OVER,
  LEAST_ELEMENTS,
  LENGTH,
  PACE_INDEX,
  PART,
  RingEnd,
  type RingMemory,
  SKIP_BEFORE,
  SPILLED,
  TURN,
} from './ring-end.ts';
import { kibibytes, type Shipment, Spill } from './spill.ts';

/** Chunks without elements pass a silent ring this far ahead of its reader: turns are told apart over more. */
const FARTHEST_AHEAD = 1 << 16;

/** While something is on its way its lane looks up this often. */
const TRAVEL_TICK_MS = 100;

/** The end of a ring that fills it. */
export class RingProducer extends RingEnd {
  readonly #spill = new Spill();
  /** Nobody will read any more. */
  #closed = false;
  /** The chunk being written: its parts and its elements that were handed over. */
  #chunk = -1;
  #parts = 0;
  #elements = 0;
  /** What went before by another hand, to be told to the consumer with the next part. */
  #restart = 0;
  readonly #line: SharedLine | undefined;
  readonly #sleep = new Int32Array(new SharedArrayBuffer(4));
  /** ns of `waited` that went by while chunks were on their way. */
  transported = 0;
  /** A predecessor has written this one to its end. */
  #whole = -1;

  constructor(memory: RingMemory, clock: Clock, flow?: Flow) {
    super(memory, clock, flow);
    this.#line = memory.line === undefined ? undefined : new SharedLine(memory.line.memory, memory.line.bytesPerSecond);
  }

  /** Waits until the last byte would have arrived. */
  #travel(line: SharedLine, bytes: number): void {
    const began = process.hrtime.bigint();
    const arrival = line.book(bytes, began);
    for (let now = began; now < arrival; now = process.hrtime.bigint()) {
      Atomics.wait(this.#sleep, 0, 0, Math.min(TRAVEL_TICK_MS, Number(arrival - now) / 1e6));
      this.onTick();
    }
    const ns = Number(process.hrtime.bigint() - began);
    this.transported += ns;
    this.waited += ns;
    this.flow.transported(ns);
  }

  /**
   * Goes on with a chunk that another thread had begun when it died. Gives the elements of it that were handed over; infinitely many
   * where all of them were.
   */
  resume(chunk: number): number {
    const slot = this.slotAt(chunk);
    const { time, parts, full } = this.standing(chunk);
    const last = full && ((this.words[slot + FLAGS] ?? 0) & (PART.again | PART.more)) === 0;
    if (time === 'after' || last) {
      this.#whole = chunk;
      return Number.POSITIVE_INFINITY;
    }
    this.#chunk = chunk;
    this.#parts = parts;
    this.#elements = parts === 0 ? 0 : (this.words[slot + HANDED_OVER + (parts % 2)] ?? 0);
    this.#restart = PART.restart;
    return this.#elements;
  }

  /** ns the consumer works on an element; 0 until it has told. */
  get consumerPace(): number {
    return this.pace[PACE_INDEX] ?? 0;
  }

  /** Elements the consumer wants in a chunk, however long it works on them. */
  get leastElements(): number {
    return Atomics.load(this.words, LEAST_ELEMENTS);
  }

  /** Passes over the data before this one are no longer wanted. */
  get skipBefore(): number {
    return Atomics.load(this.words, SKIP_BEFORE);
  }

  /** Writes a chunk, in parts where it is larger than a slot. False when nobody will read it. */
  write(chunk: number, bytes: Uint8Array, count: number, epoch: number, flags: number): boolean {
    if (chunk === this.#whole) return true;
    if (count === 0 && flags === 0 && this.#mayPassOver(chunk)) return this.#passOver(chunk);
    const shipment: Shipment = { chunk, bytes, count, epoch, flags, from: 0 };
    if (this.#spill.first !== undefined) return this.#writeBehind(shipment);
    const mayHold = (): boolean => this.#mayHold(bytes.length);
    const canWrite = (): boolean => this.#awaitRoom(chunk, this.#partOf(bytes.length - shipment.from), mayHold);
    while (canWrite()) if (this.#writePart(shipment)) return !this.#closed;
    if (this.isClosed(chunk)) return false;
    this.#hold(shipment);
    return true;
  }

  #mayPassOver(chunk: number): boolean {
    return this.silent && this.#spill.first === undefined && chunk - Atomics.load(this.words, CLAIMED) < FARTHEST_AHEAD;
  }

  /** The chunk's turn is over before it began: the slot is the one's that comes after it. */
  #passOver(chunk: number): boolean {
    const slot = this.slotAt(chunk);
    const free = this.freeWord(chunk, 0);
    return this.waitFor(slot, free) && this.pass(slot, free, this.freeWord(chunk + this.slots, 0));
  }

  /** The next part of the chunk would not have to wait for its slot. */
  hasRoom(chunk: number): boolean {
    if (this.#spill.first !== undefined) return false;
    return Atomics.load(this.words, this.slotAt(chunk) + TURN) === this.#free(chunk);
  }

  /** The large slot of the chunk, where its next part can be made instead of copied there; undefined while it has to be waited for. */
  place(chunk: number): Uint8Array | undefined {
    if (chunk === this.#whole || !this.hasRoom(chunk)) return undefined;
    if (this.obstacle(chunk, this.largeSlotBytes) !== undefined) return undefined;
    const offset = this.offsetOf(chunk, this.largeSlotBytes);
    return this.data.subarray(offset, offset + this.largeSlotBytes);
  }

  /** Waits for it, unless chunks may be held back meanwhile. Whoever makes a chunk elsewhere first has it twice, and waits afterwards. */
  awaitPlace(chunk: number): Uint8Array | undefined {
    if (chunk === this.#whole || this.#spill.first !== undefined) return undefined;
    const mayHold = (): boolean => Atomics.load(this.words, ALLOWED) > 0;
    return this.#awaitRoom(chunk, this.largeSlotBytes, mayHold) ? this.place(chunk) : undefined;
  }

  isClaimed(chunk: number): boolean {
    return Atomics.load(this.words, CLAIMED) > chunk;
  }

  /** Waits for room for the next part of the chunk, or for leave to hold it back. */
  #awaitRoom(chunk: number, part: number, mayHold: () => boolean): boolean {
    if (!this.waitFor(this.slotAt(chunk), this.#free(chunk), mayHold)) return false;
    for (let other = this.obstacle(chunk, part); other !== undefined; other = this.obstacle(chunk, part)) {
      if (mayHold() || this.isClosed(chunk)) return false;
      this.#awaitGone(other, mayHold);
    }
    return true;
  }

  #awaitGone(chunk: number, giveUp: () => boolean): void {
    const next = this.freeWord(chunk + this.slots, 0);
    this.waitFor(this.slotAt(chunk), next, () => giveUp() || this.isGone(chunk));
  }

  /** Bytes of the next part, where so many are left of the chunk. */
  #partOf(bytes: number): number {
    return Math.min(bytes, this.largeSlotBytes);
  }

  #free(chunk: number): number {
    return this.freeWord(chunk, chunk === this.#chunk ? this.#parts : 0);
  }

  /** Nobody will read the chunk. */
  isClosed(chunk: number): boolean {
    return Atomics.load(this.words, this.slotAt(chunk) + TURN) === CLOSED;
  }

  /** True when the whole chunk has gone, or never can. */
  #writePart(shipment: Shipment): boolean {
    const { chunk, bytes, from } = shipment;
    const { words } = this;
    const slot = this.slotAt(chunk);
    const free = this.#free(chunk);
    const to = from + this.#partOf(bytes.length - from);
    const last = to === bytes.length;
    if (chunk !== this.#chunk) {
      this.#chunk = chunk;
      this.#parts = 0;
      this.#elements = 0;
    }
    this.#parts++;
    if (last) this.#elements += shipment.count;
    this.#put(from === 0 && last ? bytes : bytes.subarray(from, to), this.offsetOf(chunk, to - from));
    words[slot + LENGTH] = to - from;
    words[slot + FLAGS] = shipment.flags | (last ? 0 : PART.more) | this.#restart;
    words[slot + EPOCH] = shipment.epoch;
    words[slot + COUNT] = shipment.count;
    words[slot + HANDED_OVER + (this.#parts % 2)] = this.#elements;
    this.#restart = 0;
    if (this.#line !== undefined) this.#travel(this.#line, to - from);
    this.entered(to - from);
    shipment.from = to;
    if (!this.pass(slot, free, free + 1)) this.#closed = true;
    return this.#closed || last;
  }

  /** Unless it was made there. */
  #put(part: Uint8Array, offset: number): void {
    if (part.buffer !== this.data.buffer || part.byteOffset !== offset) this.data.set(part, offset);
  }

  #mayHold(bytes: number): boolean {
    const allowed = Atomics.load(this.words, ALLOWED);
    return allowed > 0 && Atomics.load(this.words, SPILLED) + kibibytes(bytes) <= allowed;
  }

  #hold(shipment: Shipment): void {
    Atomics.add(this.words, SPILLED, kibibytes(shipment.bytes.length));
    this.#spill.add(shipment);
  }

  /** What is held back goes first. */
  #writeBehind(shipment: Shipment): boolean {
    const { bytes, chunk } = shipment;
    while (this.flush()) {
      if (this.#mayHold(bytes.length)) {
        this.#hold(shipment);
        return true;
      }
      this.#awaitFirst(bytes.length);
    }
    return !this.#closed && this.write(chunk, bytes, shipment.count, shipment.epoch, shipment.flags);
  }

  /** Waits until the first chunk that is held back can go or has gone, or until `more` bytes may be held back as well. */
  #awaitFirst(more = Number.POSITIVE_INFINITY): void {
    const { first } = this.#spill;
    if (first === undefined) return;
    const { chunk, bytes, from } = first;
    const giveUp = (): boolean => this.#spill.first !== first || this.#mayHold(more);
    if (!this.waitFor(this.slotAt(chunk), this.#free(chunk), giveUp)) return;
    const other = this.obstacle(chunk, this.#partOf(bytes.length - from));
    if (other !== undefined) this.#awaitGone(other, giveUp);
  }

  /** Writes what is held back and has room by now; true while some of it is left. */
  flush(): boolean {
    for (let first = this.#spill.first; first !== undefined; first = this.#spill.first) {
      const turn = Atomics.load(this.words, this.slotAt(first.chunk) + TURN);
      if (turn === CLOSED || this.#closed) {
        this.#closed = true;
        this.#spill.clear();
        return false;
      }
      if (turn !== this.#free(first.chunk)) return true;
      if (this.obstacle(first.chunk, this.#partOf(first.bytes.length - first.from)) !== undefined) return true;
      this.activity?.moved();
      if (!this.#writePart(first)) continue;
      Atomics.sub(this.words, SPILLED, kibibytes(first.bytes.length));
      this.#spill.shift();
    }
    return false;
  }

  /** Blocks until nothing is held back. */
  settle(): void {
    while (this.flush()) this.#awaitFirst();
  }
}
