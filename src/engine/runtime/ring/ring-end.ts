import { type ChannelShape, capacityOf } from '../../../graph/channel-shape.ts';
import { allocateLine } from '../../../io/storage/shared-line.ts';
import type { Clock } from '../books/clock.ts';
import { Flow } from '../books/flow.ts';
import type { Activity, Wait } from './activity.ts';
import { KIBIBYTE } from './spill.ts';

/**
 * A bounded channel in shared memory: `slots` slots, each holding one part of a chunk.
 *
 * A part that is larger than a slot's own memory lies in one of the `largeSlots`: of chunk k in number k mod largeSlots, once every chunk before
 * it that may lie there is gone. A large slot is one of some blocks of memory, of which there may be more: where a consumer keeps a block, another takes
 * its place before the slot is handed on.
 *
 * Chunks are numbered; chunk k lives in slot k mod slots. A slot's turn word says whose it is: free for part p of chunk k,
 * or full with it. Any number of producers may fill different chunks and any number of consumers may claim them: a stage
 * of several lanes gives chunk k of its output the number of its input, so order is kept without a merge step, and the lane
 * with the lowest number can always go on. A chunk larger than a slot passes in parts through its own slot. A turn word below
 * zero means closed: it is written over whatever stood there, so a waiting thread always sees it.
 *
 * A lane may die at any moment. All it leaves behind is in here: which chunk it had claimed, because a claim is one atomic
 * change that names its owner, and how much of its output has gone, because handing over a part counts it. Whoever takes its
 * place goes on from there: nothing is lost and nothing comes twice.
 */
export interface RingMemory extends ChannelShape {
  /**
   * No elements pass through it, only ends and landmarks, and its one reader may come late for them. Chunks without either are handed
   * on to the next turn by whoever fills the ring.
   */
  readonly silent: boolean;
  /** Claims that can be told apart: more than can ever be under way. */
  readonly claims: number;
  /** Blocks of memory beyond those that are large slots at first. */
  readonly spares: number;
  readonly control: SharedArrayBuffer;
  readonly data: SharedArrayBuffer;
  /** Everything that passes through it passes through this line first. */
  readonly line: { readonly memory: SharedArrayBuffer; readonly bytesPerSecond: number } | undefined;
}

export const CLOSED = -1;

// Control words of the ring.
/** Number of the first chunk that may be unclaimed. */
export const CLAIMED = 0;
const OCCUPIED = 1;
/** Number of the first chunk that will never come; 0 while that is unknown. */
export const END = 2;
export const SKIP_BEFORE = 3;
export const LEAST_ELEMENTS = 4;
/** KiB that producers may hold back for this ring, and KiB that they do. */
export const ALLOWED = 5;
export const SPILLED = 6;
const RING_WORDS = 8;
/** A float64 behind the ring's words: how long its consumer works on an element, in ns. */
export const PACE_INDEX = RING_WORDS / 2;
const HEAD_WORDS = RING_WORDS + 2;

// Words of a slot.
export const TURN = 0;
export const LENGTH = 1;
export const FLAGS = 2;
export const EPOCH = 3;
export const COUNT = 4;
/** Two words: elements of the chunk handed over with an even, with an odd number of parts. Only the other one is being written. */
export const HANDED_OVER = 5;
/** Two words, kept by the consumer in the same way: what it had made of the chunk before the part it is at; below zero where it holds some of that chunk. */
export const MADE_BEFORE = 7;
/** The consumer has parts of this chunk that are no longer here. */
export const PARTIAL = 9;
const SLOT_WORDS = 10;

/**
 * What a part of a chunk is. `more`: its bytes go on in the next part. `again`: it is whole in itself, and another follows under
 * the same number, because its producer had more output than fits a chunk. `restart`: bytes before it belong to a part
 * that was never finished. `landmark`: it holds no elements, but where an operator upstream stood.
 */
export const PART = { more: 1, epochEnd: 2, end: 4, again: 8, restart: 16, landmark: 32 } as const;

/** Parts are told apart by so many numbers, turns by so many: far more than can be confused. */
const PARTS = 1 << 10;
const TURNS = 1 << 19;

/** How often a waiting lane looks up: its probe flushes then. */
export const TICK_MS = 100;

interface RingOptions {
  /** Lanes that may claim chunks. */
  readonly readers?: number | undefined;
  readonly bytesPerSecond?: number | undefined;
  readonly silent?: boolean | undefined;
  readonly spares?: number | undefined;
}

export function allocateRing(
  shape: ChannelShape,
  { readers = 1, bytesPerSecond, silent = false, spares = 0 }: RingOptions = {},
): RingMemory {
  const claims = shape.slots + readers + 1;
  const blocksAt = HEAD_WORDS + shape.slots * SLOT_WORDS + claims;
  const control = new SharedArrayBuffer((blocksAt + shape.largeSlots) * 4);
  new Int32Array(control, blocksAt * 4).forEach((_, block, blocks) => {
    blocks[block] = block;
  });
  return {
    ...shape,
    silent,
    claims,
    spares,
    control,
    data: new SharedArrayBuffer(capacityOf(shape) + spares * shape.largeSlotBytes),
    line: bytesPerSecond === undefined ? undefined : { memory: allocateLine(), bytesPerSecond },
  };
}

/** What a turn word says about one chunk. */
export interface Standing {
  /** The slot is not yet the chunk's, is, or is no longer. */
  readonly time: 'before' | 'now' | 'after';
  /** Parts handed over so far. */
  readonly parts: number;
  readonly full: boolean;
}

/** What both ends share. */
export class RingEnd {
  protected readonly words: Int32Array;
  protected readonly pace: Float64Array;
  protected readonly data: Uint8Array;
  protected readonly clock: Clock;
  readonly slots: number;
  readonly #smallBytes: number;
  readonly #largeSlots: number;
  /** The most bytes of a part. */
  readonly largeSlotBytes: number;
  protected readonly silent: boolean;
  protected readonly claims: number;
  readonly flow: Flow;
  /** ns spent waiting for the other end. */
  waited = 0;
  onTick: () => void = () => undefined;
  /** When it was last called: a lane may wait often, and never long. */
  #ticked: number | undefined;
  /** Tells others what the lane waits for, as an end of channel `link`. */
  activity: Activity | undefined;
  link = 0;
  /** Does what else the lane has to see to whenever it would wait. Gives the ms after which it wants to be called again. */
  meanwhile: () => number = () => TICK_MS;

  /** `flow`: where this end keeps its part in the channel's history. */
  constructor(memory: RingMemory, clock: Clock, flow: Flow = new Flow()) {
    this.clock = clock;
    this.flow = flow;
    this.words = new Int32Array(memory.control);
    this.pace = new Float64Array(memory.control, 0, HEAD_WORDS / 2);
    this.data = new Uint8Array(memory.data);
    this.slots = memory.slots;
    this.#smallBytes = memory.smallBytes;
    this.#largeSlots = memory.largeSlots;
    this.largeSlotBytes = memory.largeSlotBytes;
    this.silent = memory.silent;
    this.claims = memory.claims;
  }

  protected slotAt(chunk: number): number {
    return HEAD_WORDS + (chunk % this.slots) * SLOT_WORDS;
  }

  /** A part of so many bytes lies in a large slot. */
  isLarge(bytes: number): boolean {
    return bytes > this.#smallBytes;
  }

  protected offsetOf(chunk: number, bytes: number): number {
    if (bytes <= this.#smallBytes) return (chunk % this.slots) * this.#smallBytes;
    return this.slots * this.#smallBytes + (this.words[this.blockAt(chunk)] ?? 0) * this.largeSlotBytes;
  }

  /** The word that says which block is the chunk's large slot. Whoever has the slot may change it. */
  protected blockAt(chunk: number): number {
    return HEAD_WORDS + this.slots * SLOT_WORDS + this.claims + (chunk % this.#largeSlots);
  }

  /** A chunk that has yet to be gone before a part of so many bytes can be written; undefined where there is none. */
  protected obstacle(chunk: number, bytes: number): number | undefined {
    if (bytes <= this.#smallBytes) return undefined;
    // Those in the same large slot; the one that is a whole round behind had the same slot too.
    const first = Math.max(chunk % this.#largeSlots, chunk - this.slots + this.#largeSlots);
    for (let other = first; other < chunk; other += this.#largeSlots) {
      if (!this.isGone(other)) return other;
    }
    return undefined;
  }

  /** The chunk was released: not that the ring was closed with it. */
  protected isGone(chunk: number): boolean {
    if (Atomics.load(this.words, this.slotAt(chunk) + TURN) !== CLOSED) return this.standing(chunk).time === 'after';
    const end = Atomics.load(this.words, END);
    return end !== 0 && chunk + this.slots >= end;
  }

  /** Slots that a part counts for: those in large slots fill the ring as soon as none of these is left. */
  #weight(bytes: number): number {
    return bytes <= this.#smallBytes ? 1 : this.slots / this.#largeSlots;
  }

  protected claimAt(chunk: number): number {
    return HEAD_WORDS + this.slots * SLOT_WORDS + (chunk % this.claims);
  }

  /** The turn word while the slot is free for part `part` of the chunk. One more: it is full with it. */
  protected freeWord(chunk: number, part: number): number {
    // The first two numbers are used once: a chunk of which nothing has gone is like no other. Odd stays odd.
    const number = part < PARTS ? part : ((part - 2) % (PARTS - 2)) + 2;
    return 2 * ((Math.floor(chunk / this.slots) % TURNS) * PARTS + number);
  }

  protected standing(chunk: number): Standing {
    const word = Atomics.load(this.words, this.slotAt(chunk) + TURN);
    const full = word % 2 === 1;
    const turn = Math.floor(word / 2 / PARTS);
    const parts = (Math.floor(word / 2) % PARTS) + (full ? 1 : 0);
    // Turns come round again: what is less than half a round ahead is later.
    const ahead = (turn - (Math.floor(chunk / this.slots) % TURNS) + TURNS) % TURNS;
    if (word !== CLOSED && ahead === 0) return { time: 'now', parts, full };
    return { time: word === CLOSED || ahead < TURNS / 2 ? 'after' : 'before', parts: 0, full: false };
  }

  /** Slots that chunks committed and not yet released count for. */
  get occupied(): number {
    return Atomics.load(this.words, OCCUPIED);
  }

  get isFull(): boolean {
    return this.occupied >= this.slots;
  }

  protected entered(bytes: number): void {
    const weight = this.#weight(bytes);
    const before = Atomics.add(this.words, OCCUPIED, weight);
    this.flow.add(this.clock.now(), bytes, before < this.slots && before + weight >= this.slots);
  }

  protected left(bytes: number): void {
    const weight = this.#weight(bytes);
    const before = Atomics.sub(this.words, OCCUPIED, weight);
    this.flow.add(this.clock.now(), bytes, before >= this.slots && before - weight < this.slots);
  }

  /** Blocks until the slot's turn word is `wanted`, or there is no sense in waiting: false. */
  protected waitFor(slot: number, wanted: number, giveUp: () => boolean = () => false): boolean {
    let turn = Atomics.load(this.words, slot + TURN);
    if (turn === wanted) return true;
    let since = this.clock.now();
    this.#ticked ??= since;
    this.activity?.waits(this.link, slot + TURN, wanted);
    // Read before everything that is looked at: what changes later is another question's matter.
    let asked = this.activity?.asked ?? 0;
    turn = Atomics.load(this.words, slot + TURN);
    while (turn !== wanted && turn !== CLOSED && !giveUp()) {
      const ms = this.meanwhile();
      this.activity?.looked(asked);
      Atomics.wait(this.words, slot + TURN, turn, ms);
      const now = this.clock.now();
      this.waited += now - since;
      since = now;
      if (now - this.#ticked >= TICK_MS * 1e6) {
        this.#ticked = now;
        this.onTick();
      }
      asked = this.activity?.asked ?? 0;
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

  set allowance(bytes: number) {
    Atomics.store(this.words, ALLOWED, Math.floor(bytes / KIBIBYTE));
    this.wake();
  }

  /** Some of it is held back in the memory of its producers. */
  get spilled(): boolean {
    return Atomics.load(this.words, SPILLED) > 0;
  }

  /** Everyone who waits looks again: a thread may have died between a change and its telling. */
  wake(): void {
    for (let slot = 0; slot < this.slots; slot++) Atomics.notify(this.words, this.slotAt(slot) + TURN);
  }

  /** Ends all traffic: every wait at either end returns at once. What was queued is lost. */
  close(): void {
    for (let slot = 0; slot < this.slots; slot++) Atomics.store(this.words, this.slotAt(slot) + TURN, CLOSED);
    this.wake();
  }
}
