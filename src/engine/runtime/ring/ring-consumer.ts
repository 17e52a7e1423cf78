import {
  CLAIMED,
  CLOSED,
  COUNT,
  END,
  EPOCH,
  FLAGS,
  LEAST_ELEMENTS,
  LENGTH,
  MADE_BEFORE,
  PACE_INDEX,
  PART,
  PARTIAL,
  RingEnd,
  SKIP_BEFORE,
  TURN,
} from './ring-end.ts';

/** A chunk that a dead lane had claimed. */
export interface Inherited {
  readonly chunk: number;
  /** Elements the lane had made of it before the part at which it died. */
  readonly madeBefore: number;
}

/** A claim is a word: how often its word was used before, and whose it is. */
const LANES = 1 << 10;
const GENERATIONS = 1 << 20;

/** Weight of the last chunk in the mean time of an element. A judgement. */
const LAST_WEIGHT = 0.3;

/** The end of a ring that empties it. */
export class RingConsumer extends RingEnd {
  /** Of the part last received. */
  bytes: Uint8Array = new Uint8Array(0);
  flags = 0;
  epoch = 0;
  count = 0;
  /** The chunk being read, and its parts released so far. */
  #chunk = -1;
  #parts = 0;
  #assembled = new Uint8Array(0);
  #assembledLength = 0;
  #waitingSince: number | undefined;
  /** NaN until it is known: a whole number would change the object's layout once it meets a fraction. */
  #pace = Number.NaN;

  /** Waiting, the wait under way included. */
  get waitedSoFar(): number {
    return this.waited + (this.#waitingSince === undefined ? 0 : this.clock.now() - this.#waitingSince);
  }

  get waiting(): boolean {
    return this.#waitingSince !== undefined;
  }

  /** Tells producers how long an element takes here: the exponential mean over chunks, the last of which took so many ns each. */
  paced(ns: number): void {
    this.#pace = this.#pace > 0 ? (1 - LAST_WEIGHT) * this.#pace + LAST_WEIGHT * ns : ns;
    this.pace[PACE_INDEX] = this.#pace;
  }

  set leastElements(elements: number) {
    Atomics.store(this.words, LEAST_ELEMENTS, elements);
  }

  /** The number of the next chunk nobody has claimed yet. From now on it is this lane's. */
  claim(lane = 0): number {
    for (let chunk = this.unclaimed; ; chunk++) {
      const at = this.claimAt(chunk);
      const mine = this.#claimWord(chunk, lane);
      let held = Atomics.load(this.words, at);
      while (Math.floor(held / LANES) !== Math.floor(mine / LANES)) {
        const seen = Atomics.compareExchange(this.words, at, held, mine);
        if (seen === held) {
          this.#raise(CLAIMED, chunk + 1);
          return chunk;
        }
        held = seen;
      }
    }
  }

  #claimWord(chunk: number, lane: number): number {
    // The first round is number 1: a word never used holds 0.
    return ((Math.floor(chunk / this.claims) + 1) % GENERATIONS) * LANES + lane;
  }

  #raise(word: number, least: number): void {
    let held = Atomics.load(this.words, word);
    while (held < least) {
      const seen = Atomics.compareExchange(this.words, word, held, least);
      if (seen === held) return;
      held = seen;
    }
  }

  /** The number that `claim` would give now. */
  get unclaimed(): number {
    return Atomics.load(this.words, CLAIMED);
  }

  /** The chunk that `lane` had claimed and not released when it died; this end goes on with it. */
  inherit(lane: number): Inherited | undefined | 'incomplete' {
    const next = this.unclaimed + this.claims;
    for (let chunk = Math.max(0, next - 2 * this.claims); chunk < next; chunk++) {
      if (Atomics.load(this.words, this.claimAt(chunk)) !== this.#claimWord(chunk, lane)) continue;
      const { time, parts, full } = this.standing(chunk);
      if (time === 'after') continue;
      const released = full ? parts - 1 : parts;
      const slot = this.slotAt(chunk);
      if (time === 'now' && released > 0 && this.words[slot + PARTIAL] === 1) return 'incomplete';
      const madeBefore = released === 0 ? 0 : (this.words[slot + MADE_BEFORE + (released % 2)] ?? 0);
      if (madeBefore < 0) return 'incomplete';
      this.#chunk = chunk;
      this.#parts = released;
      return { chunk, madeBefore };
    }
    return undefined;
  }

  #full(chunk: number): number {
    return this.freeWord(chunk, chunk === this.#chunk ? this.#parts : 0) + 1;
  }

  #enter(chunk: number): void {
    if (chunk === this.#chunk) return;
    this.#chunk = chunk;
    this.#parts = 0;
  }

  /** Nothing was in chunk `chunk` of a silent ring, and its slot has gone to a later one. */
  isPassedOver(chunk: number): boolean {
    if (!this.silent || Atomics.load(this.words, this.slotAt(chunk) + TURN) === CLOSED) return false;
    return this.standing(chunk).time === 'after';
  }

  /** Blocks until chunk `chunk` is whole; false when there will be none. Follow with `release`. */
  receive(chunk: number): boolean {
    this.#enter(chunk);
    const slot = this.slotAt(chunk);
    do {
      if (!this.waitFor(slot, this.#full(chunk), () => this.isPassedOver(chunk))) return false;
    } while (!this.#take(chunk, slot));
    return true;
  }

  /** Blocks until chunk `chunk` can be received or never will be, or until there is something else to do: true. */
  waitUnless(chunk: number, other: () => boolean): boolean {
    this.#enter(chunk);
    const giveUp = (): boolean => other() || this.isPassedOver(chunk);
    return !this.waitFor(this.slotAt(chunk), this.#full(chunk), giveUp) && other();
  }

  /** The same as `receive` for a thread that must not block. */
  async receiveAsync(chunk: number): Promise<boolean> {
    this.#enter(chunk);
    const slot = this.slotAt(chunk);
    for (;;) {
      const turn = Atomics.load(this.words, slot + TURN);
      if (turn === CLOSED) return false;
      if (turn === this.#full(chunk)) {
        if (this.#take(chunk, slot)) return true;
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
    return Atomics.load(this.words, this.slotAt(chunk) + TURN) === this.#full(chunk);
  }

  /** The part last received lies in a large slot. */
  get isInLargeSlot(): boolean {
    return this.bytes.buffer === this.data.buffer && this.isLarge(this.bytes.length);
  }

  /** Block `spare` becomes the large slot of the chunk, which was received and not released. Gives the one in which it lies. */
  swap(chunk: number, spare: number): number {
    const at = this.blockAt(chunk);
    const block = this.words[at] ?? 0;
    this.words[at] = spare;
    return block;
  }

  /** Gathers parts; true when the chunk is whole and `bytes` shows it. */
  #take(chunk: number, slot: number): boolean {
    const length = this.words[slot + LENGTH] ?? 0;
    const flags = this.words[slot + FLAGS] ?? 0;
    if ((flags & PART.restart) !== 0) this.#assembledLength = 0;
    if (this.#assembledLength === 0) this.words[slot + PARTIAL] = (flags & PART.more) === 0 ? 0 : 1;
    const offset = this.offsetOf(chunk, length);
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
      this.#nextPart(chunk, slot);
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

  #nextPart(chunk: number, slot: number): void {
    this.left(this.words[slot + LENGTH] ?? 0);
    const full = this.#full(chunk);
    this.#parts++;
    this.pass(slot, full, this.freeWord(chunk, this.#parts));
  }

  /**
   * Frees the slot: for the next piece of this chunk if there is one, else for the chunk one turn later. `made`: elements that were made of
   * the chunk and handed on so far. `holds`: some of its elements are still held, and could not be made again.
   */
  release(chunk: number, made = 0, holds = false): void {
    const slot = this.slotAt(chunk);
    if ((this.flags & PART.again) !== 0) {
      this.words[slot + MADE_BEFORE + ((this.#parts + 1) % 2)] = holds ? -1 - made : made;
      this.#nextPart(chunk, slot);
      return;
    }
    this.left(this.words[slot + LENGTH] ?? 0);
    const next = this.freeWord(chunk + this.slots, 0);
    this.pass(slot, this.#full(chunk), next);
    // Beyond the end nobody fills it again; whoever waits for it must learn so.
    const end = Atomics.load(this.words, END);
    if (end !== 0 && chunk + this.slots >= end) this.pass(slot, next, CLOSED);
  }

  /** Chunk `last` was the end of the data: claims beyond it come to nothing. Earlier chunks may still be on their way. */
  ended(last: number): void {
    Atomics.store(this.words, END, last + 1);
    for (let chunk = last + 1; chunk <= last + this.slots; chunk++) {
      this.pass(this.slotAt(chunk), this.freeWord(chunk, 0), CLOSED);
    }
  }

  /** Asks the producer to leave its pass and start the next one. */
  skipTo(epoch: number): void {
    this.#raise(SKIP_BEFORE, epoch);
  }
}
