import type { Activity, Wait } from './activity.ts';
import type { Clock } from './clock.ts';
import { Flow } from './flow.ts';
import { KIBIBYTE, kibibytes, type Shipment, Spill } from './spill.ts';

/**
 * A bounded channel in shared memory: `slots` slots, each holding one part of a chunk.
 *
 * Chunks are numbered; chunk k lives in slot k mod slots. A slot's turn word says whose it is: 2·turn while free for
 * chunk k (turn = ⌊k / slots⌋), 2·turn + 1 while full. Any number of producers may fill different chunks and any number
 * of consumers may claim them: a stage of several lanes gives chunk k of its output the number of its input, so order
 * is kept without a merge step, and the lane with the lowest number can always go on. A chunk larger than a slot passes
 * in parts through its own slot. A turn word below zero means closed: it is written over whatever stood there, so a
 * waiting thread always sees it.
 */
export interface RingMemory {
  readonly slots: number;
  readonly slotBytes: number;
  readonly control: SharedArrayBuffer;
  readonly data: SharedArrayBuffer;
}

const CLOSED = -1;

// Control words of the ring.
const CLAIMED = 0;
const OCCUPIED = 1;
/** Number of the first chunk that will never come; 0 while that is unknown. */
const END = 2;
const SKIP_BEFORE = 3;
const LEAST_ELEMENTS = 4;
/** KiB that producers may hold back for it, and do. */
const ALLOWED = 5;
const SPILLED = 6;
const RING_WORDS = 8;
/** A float64 behind the ring's words: how long its consumer works on an element, in ns. */
const PACE_INDEX = RING_WORDS / 2;
const HEAD_WORDS = RING_WORDS + 2;

// Words of a slot.
const TURN = 0;
const LENGTH = 1;
const FLAGS = 2;
const EPOCH = 3;
const COUNT = 4;
const SLOT_WORDS = 6;

/**
 * What a part of a chunk is. `more`: its bytes go on in the next part. `again`: it is whole in itself, and another
 * follows under the same number, because its producer had more output than fits a chunk.
 */
export const PART = { more: 1, epochEnd: 2, end: 4, again: 8 } as const;

/** How often a waiting lane looks up: its probe flushes then. */
const TICK_MS = 100;
/** The same where it holds something back that might go by now. */
const SPILLED_TICK_MS = 1;

export function allocateRing(slots: number, slotBytes: number): RingMemory {
  return {
    slots,
    slotBytes,
    control: new SharedArrayBuffer((HEAD_WORDS + slots * SLOT_WORDS) * 4),
    data: new SharedArrayBuffer(slots * slotBytes),
  };
}

/** What both ends share. */
class RingEnd {
  protected readonly words: Int32Array;
  protected readonly pace: Float64Array;
  protected readonly data: Uint8Array;
  protected readonly clock: Clock;
  readonly slots: number;
  readonly slotBytes: number;
  protected readonly flow: Flow;
  /** ns spent waiting for the other end. */
  waited = 0;
  onTick: () => void = () => undefined;
  /** Tells others what the lane waits for, as an end of channel `link`. */
  activity: Activity | undefined;
  link = 0;
  /** Passes on what the lane holds back; true while some of it is left. */
  passOn: () => boolean = () => false;

  /** `flow`: where this end keeps its part in the channel's history. */
  constructor(memory: RingMemory, clock: Clock, flow: Flow = new Flow()) {
    this.clock = clock;
    this.flow = flow;
    this.words = new Int32Array(memory.control);
    this.pace = new Float64Array(memory.control, 0, HEAD_WORDS / 2);
    this.data = new Uint8Array(memory.data);
    this.slots = memory.slots;
    this.slotBytes = memory.slotBytes;
  }

  protected slotAt(chunk: number): number {
    return HEAD_WORDS + (chunk % this.slots) * SLOT_WORDS;
  }

  protected offsetOf(chunk: number): number {
    return (chunk % this.slots) * this.slotBytes;
  }

  protected freeTurn(chunk: number): number {
    return 2 * Math.floor(chunk / this.slots);
  }

  /** Chunks committed and not yet released. */
  get occupied(): number {
    return Atomics.load(this.words, OCCUPIED);
  }

  /** Blocks until the slot's turn word is `wanted`; false when the ring is closed. */
  protected waitFor(slot: number, wanted: number, giveUp: () => boolean = () => false): boolean {
    let turn = Atomics.load(this.words, slot + TURN);
    if (turn === wanted) return true;
    let since = this.clock.now();
    let ticked = since;
    this.activity?.waits(this.link, slot + TURN, wanted);
    while (turn !== wanted && turn !== CLOSED && !giveUp()) {
      Atomics.wait(this.words, slot + TURN, turn, this.passOn() ? SPILLED_TICK_MS : TICK_MS);
      const now = this.clock.now();
      this.waited += now - since;
      since = now;
      if (now - ticked >= TICK_MS * 1e6) {
        ticked = now;
        this.onTick();
      }
      turn = Atomics.load(this.words, slot + TURN);
    }
    this.activity?.works();
    return turn === wanted;
  }

  /** One atomic change hands the slot over; false when the ring was closed meanwhile. */
  protected pass(slot: number, from: number, to: number): boolean {
    const done = Atomics.compareExchange(this.words, slot + TURN, from, to) === from;
    Atomics.notify(this.words, slot + TURN);
    return done;
  }

  /** What a lane waits for has come, though it may not have seen it yet. */
  satisfies({ word, wanted }: Wait): boolean {
    const turn = Atomics.load(this.words, word);
    return turn === wanted || turn === CLOSED;
  }

  /** Bytes that producers may hold back for this ring. */
  get allowance(): number {
    return Atomics.load(this.words, ALLOWED) * KIBIBYTE;
  }

  /** Lets them hold back more, and wakes those that wait. */
  set allowance(bytes: number) {
    Atomics.store(this.words, ALLOWED, Math.floor(bytes / KIBIBYTE));
    for (let slot = 0; slot < this.slots; slot++) Atomics.notify(this.words, HEAD_WORDS + slot * SLOT_WORDS + TURN);
  }

  /** Ends all traffic: every wait at either end returns at once. What was queued is lost. */
  close(): void {
    for (let slot = 0; slot < this.slots; slot++) {
      const turn = HEAD_WORDS + slot * SLOT_WORDS + TURN;
      Atomics.store(this.words, turn, CLOSED);
      Atomics.notify(this.words, turn);
    }
  }
}

export class RingProducer extends RingEnd {
  readonly #spill = new Spill();
  /** Nobody will read any more. */
  #closed = false;

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
    const shipment: Shipment = { chunk, bytes, count, epoch, flags, from: 0 };
    if (this.#spill.first !== undefined) return this.#writeBehind(shipment);
    while (this.#canWrite(shipment)) if (this.#writePart(shipment)) return !this.#closed;
    if (this.#isClosed(chunk)) return false;
    this.#hold(shipment);
    return true;
  }

  /** Waits for room in the ring, or for leave to hold the chunk back. */
  #canWrite({ chunk, bytes }: Shipment): boolean {
    return this.waitFor(this.slotAt(chunk), this.freeTurn(chunk), () => this.#mayHold(bytes.length));
  }

  #isClosed(chunk: number): boolean {
    return Atomics.load(this.words, this.slotAt(chunk) + TURN) === CLOSED;
  }

  /** True when the whole chunk has gone, or never can. */
  #writePart(shipment: Shipment): boolean {
    const { chunk, bytes, from } = shipment;
    const slot = this.slotAt(chunk);
    const free = this.freeTurn(chunk);
    const to = Math.min(bytes.length, from + this.slotBytes);
    this.data.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.offsetOf(chunk));
    this.words[slot + LENGTH] = to - from;
    this.words[slot + FLAGS] = shipment.flags | (to < bytes.length ? PART.more : 0);
    this.words[slot + EPOCH] = shipment.epoch;
    this.words[slot + COUNT] = shipment.count;
    this.#committed();
    shipment.from = to;
    if (!this.pass(slot, free, free + 1)) this.#closed = true;
    return this.#closed || to === bytes.length;
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
    const { chunk } = first;
    this.waitFor(this.slotAt(chunk), this.freeTurn(chunk), () => this.#spill.first !== first || this.#mayHold(more));
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
      if (turn !== this.freeTurn(first.chunk)) return true;
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

  #committed(): void {
    this.flow.add(this.clock.now(), Atomics.add(this.words, OCCUPIED, 1) + 1 === this.slots);
  }
}

export class RingConsumer extends RingEnd {
  /** Of the part last received. */
  bytes: Uint8Array = new Uint8Array(0);
  flags = 0;
  epoch = 0;
  count = 0;
  #assembled = new Uint8Array(0);
  #assembledLength = 0;
  #waitingSince: number | undefined;

  /** Waiting, the wait under way included. */
  get waitedSoFar(): number {
    return this.waited + (this.#waitingSince === undefined ? 0 : this.clock.now() - this.#waitingSince);
  }

  get waiting(): boolean {
    return this.#waitingSince !== undefined;
  }

  set pacePerElement(ns: number) {
    this.pace[PACE_INDEX] = ns;
  }

  set leastElements(elements: number) {
    Atomics.store(this.words, LEAST_ELEMENTS, elements);
  }

  /** The number of the next chunk nobody has claimed yet. */
  claim(): number {
    return Atomics.add(this.words, CLAIMED, 1);
  }

  /** The number that `claim` would give now. */
  get unclaimed(): number {
    return Atomics.load(this.words, CLAIMED);
  }

  /** Blocks until chunk `chunk` is whole; false when there will be none. Follow with `release`. */
  receive(chunk: number): boolean {
    const slot = this.slotAt(chunk);
    const full = this.freeTurn(chunk) + 1;
    do {
      if (!this.waitFor(slot, full)) return false;
    } while (!this.#take(chunk, slot, full));
    return true;
  }

  /** The same for a thread that must not block. */
  async receiveAsync(chunk: number): Promise<boolean> {
    const slot = this.slotAt(chunk);
    const full = this.freeTurn(chunk) + 1;
    for (;;) {
      const turn = Atomics.load(this.words, slot + TURN);
      if (turn === CLOSED) return false;
      if (turn === full) {
        if (this.#take(chunk, slot, full)) return true;
        continue;
      }
      this.#waitingSince = this.clock.now();
      await Atomics.waitAsync(this.words, slot + TURN, turn).value;
      this.waited = this.waitedSoFar;
      this.#waitingSince = undefined;
    }
  }

  /** True where the chunk can be received without waiting. */
  ready(chunk: number): boolean {
    return Atomics.load(this.words, this.slotAt(chunk) + TURN) === this.freeTurn(chunk) + 1;
  }

  /** Gathers parts; true when the chunk is whole and `bytes` shows it. */
  #take(chunk: number, slot: number, full: number): boolean {
    const length = this.words[slot + LENGTH] ?? 0;
    const flags = this.words[slot + FLAGS] ?? 0;
    const offset = this.offsetOf(chunk);
    const part = this.data.subarray(offset, offset + length);
    this.epoch = this.words[slot + EPOCH] ?? 0;
    this.count = this.words[slot + COUNT] ?? 0;
    if ((flags & PART.more) === 0 && this.#assembledLength === 0) {
      this.bytes = part;
      this.flags = flags;
      return true;
    }
    this.#gather(part);
    if ((flags & PART.more) !== 0) {
      // The same slot again, for the same chunk: its turn does not move on.
      this.#released();
      this.pass(slot, full, full - 1);
      return false;
    }
    this.bytes = this.#assembled.subarray(0, this.#assembledLength);
    this.flags = flags;
    this.#assembledLength = 0;
    return true;
  }

  #gather(part: Uint8Array): void {
    const needed = this.#assembledLength + part.length;
    if (needed > this.#assembled.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#assembled.length));
      grown.set(this.#assembled.subarray(0, this.#assembledLength));
      this.#assembled = grown;
    }
    this.#assembled.set(part, this.#assembledLength);
    this.#assembledLength = needed;
  }

  /** Frees the slot: for the next piece of this chunk if there is one, else for the chunk one turn later. */
  release(chunk: number): void {
    const slot = this.slotAt(chunk);
    const full = this.freeTurn(chunk) + 1;
    this.#released();
    if ((this.flags & PART.again) !== 0) {
      this.pass(slot, full, full - 1);
      return;
    }
    this.pass(slot, full, full + 1);
    // Beyond the end nobody fills it again; whoever waits for it must learn so.
    const end = Atomics.load(this.words, END);
    if (end !== 0 && chunk + this.slots >= end) this.pass(slot, full + 1, CLOSED);
  }

  /** Chunk `last` was the end of the data: claims beyond it come to nothing. Earlier chunks may still be on their way. */
  ended(last: number): void {
    Atomics.store(this.words, END, last + 1);
    for (let index = 0; index < this.slots; index++) {
      const slot = HEAD_WORDS + index * SLOT_WORDS;
      const turn = Atomics.load(this.words, slot + TURN);
      const next = (turn / 2) * this.slots + index;
      if (turn >= 0 && turn % 2 === 0 && next > last) this.pass(slot, turn, CLOSED);
    }
  }

  /** Asks the producer to leave its pass and start the next one. */
  skipTo(epoch: number): void {
    let wanted = Atomics.load(this.words, SKIP_BEFORE);
    while (wanted < epoch) {
      const seen = Atomics.compareExchange(this.words, SKIP_BEFORE, wanted, epoch);
      if (seen === wanted) return;
      wanted = seen;
    }
  }

  #released(): void {
    this.flow.add(this.clock.now(), Atomics.sub(this.words, OCCUPIED, 1) === this.slots);
  }
}
