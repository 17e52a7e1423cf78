import { isMainThread } from 'node:worker_threads';

/** Words that all threads share: first those of the pool, then some for each slot. */
const POOL = { events: 0, starving: 1, limit: 2, pages: 3, budget: 4, generations: 5, refused: 6, words: 7 } as const;
const SLOT = { state: 0, lane: 1, generation: 2, batch: 3, pages: 4, words: 5 } as const;

const FREE = 0;
/** A lane writes into it, or what it wrote is on its way to the main thread. */
const CLAIMED = 1;
/** The consumer has it. */
const LENT = 2;
/** In the place of a lane. */
const NOBODY = -1;

/** Bytes that the kernel gives a file at a time. Files are counted in them: a word holds up to 8 TiB. */
const PAGE_BYTES = 4096;

/** Slots per lane: one is written into while the other waits for its turn. */
const SLOTS_PER_LANE = 2;
/** Slots for the consumer: the batch it is at, and the next. */
const CONSUMER_SLOTS = 2;

/** Time, ms, after which a lane that waits for a slot looks whether its run is being stopped. */
const LOOK_MS = 100;

/** Who claims a slot. A lane whose thread died has a successor of the same number and a later generation. */
export interface Claimant {
  readonly lane: number;
  readonly generation: number;
}

/** What a slot is claimed for. */
export interface Claim extends Claimant {
  /** Number of the batch among those of its thread. */
  readonly batch: number;
}

/**
 * Who has which slot, in shared memory. Lanes claim slots, the main thread lends them to the consumer and takes them back.
 *
 * A lane waits for a slot while the consumer has batches enough, which is back-pressure. It never waits while the consumer does: its
 * own batch may be the one that is waited for, with all slots held by later ones or by a consumer that keeps them. It then goes without.
 */
export class SlotPool {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #slots: number;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
    this.#slots = (this.#words.length - POOL.words) / SLOT.words;
  }

  /** Slots that are all free and hold nothing yet; together they may hold `budgetBytes`. */
  static of(slots: number, budgetBytes: number): SlotPool {
    const pool = new SlotPool(new SharedArrayBuffer(4 * (POOL.words + SLOT.words * slots)));
    pool.#words[POOL.budget] = Math.min(Math.floor(budgetBytes / PAGE_BYTES), 2 ** 31 - 1);
    for (let slot = 0; slot < slots; slot++) pool.#free(slot);
    return pool;
  }

  /** A lane, one of `lanes`, begins. */
  enter(lane: number, lanes: number): Claimant {
    const wanted = Math.min(this.#slots, SLOTS_PER_LANE * lanes + CONSUMER_SLOTS);
    Atomics.store(this.#words, POOL.limit, wanted);
    return { lane, generation: Atomics.add(this.#words, POOL.generations, 1) + 1 };
  }

  /** A free slot with room for so many bytes; undefined where the lane should go without. */
  claim(claim: Claim, bytes: number, stopping: () => boolean): number | undefined {
    for (;;) {
      const seen = Atomics.load(this.#words, POOL.events);
      const slot = this.#tryClaim(claim, bytes);
      if (slot !== undefined) return slot;
      // Without threads the one that would wait is the one that takes slots back.
      if (isMainThread || stopping() || this.#isStarving || !this.#hasRoomFor(bytes)) return undefined;
      Atomics.wait(this.#words, POOL.events, seen, LOOK_MS);
    }
  }

  /** No more files grow: there was no room for so many bytes. The slot is free again. */
  full(slot: number, bytes: number): void {
    // Its file may have grown a little; what of it can be written is not known, so it is left alone.
    const pages = Atomics.exchange(this.#words, this.#at(slot, SLOT.pages), 0);
    const used = Atomics.sub(this.#words, POOL.pages, pages) - pages;
    Atomics.store(this.#words, POOL.budget, used);
    this.#refuse(bytes);
    this.release(slot);
  }

  /** The main thread has what a lane wrote, and hands it to the consumer. */
  lend(slot: number): void {
    Atomics.store(this.#words, this.#at(slot, SLOT.state), LENT);
  }

  /**
   * A batch of a lane has arrived. Batches come in order: what the lane, or the dead one before it, claimed for an earlier one and has not handed on never comes. A dead lane's
   * batches are made again, those too that had arrived, which are then dropped.
   */
  arrived(claim: Claim): void {
    for (let slot = 0; slot < this.#slots; slot++) if (this.#isOrphan(slot, claim)) this.release(slot);
  }

  /** Claimed by the lane before this claim. Read so that words of two claims are never taken for one: see `#take`. */
  #isOrphan(slot: number, { lane, generation, batch }: Claim): boolean {
    const [itsGeneration, itsBatch] = [this.#of(slot, SLOT.generation), this.#of(slot, SLOT.batch)];
    const isEarlier = itsGeneration < generation || (itsGeneration === generation && itsBatch < batch);
    return (
      isEarlier &&
      this.#of(slot, SLOT.lane) === lane &&
      this.#of(slot, SLOT.state) === CLAIMED &&
      this.#of(slot, SLOT.generation) === itsGeneration &&
      this.#of(slot, SLOT.batch) === itsBatch
    );
  }

  release(slot: number): void {
    this.#free(slot);
    this.#wake();
  }

  /** A free slot is nobody's, and one is until its next claim is all there. */
  #free(slot: number): void {
    Atomics.store(this.#words, this.#at(slot, SLOT.lane), NOBODY);
    Atomics.store(this.#words, this.#at(slot, SLOT.state), FREE);
  }

  /** Whether the consumer waits for a batch that is not there. */
  set starving(is: boolean) {
    if (this.#isStarving === is) return;
    Atomics.store(this.#words, POOL.starving, is ? 1 : 0);
    if (is) this.#wake();
  }

  /** Bytes of the batch that was first refused a slot for want of room; 0: none was. */
  get shortOf(): number {
    return Atomics.load(this.#words, POOL.refused) >>> 0;
  }

  #refuse(bytes: number): void {
    Atomics.compareExchange(this.#words, POOL.refused, 0, Math.min(bytes, 2 ** 32 - 1));
  }

  /** Slots that hold so many bytes, or have held them: in use, or ready for it. */
  filledWith(bytes: number): number {
    let filled = 0;
    for (let slot = 0; slot < this.#slots; slot++) {
      const pages = this.#of(slot, SLOT.pages);
      if (pages > 0 && pages * PAGE_BYTES >= bytes) filled++;
    }
    return filled;
  }

  get free(): number {
    let free = 0;
    for (let slot = 0; slot < this.#slots; slot++) if (this.#of(slot, SLOT.state) === FREE) free++;
    return free;
  }

  get #isStarving(): boolean {
    return Atomics.load(this.#words, POOL.starving) !== 0;
  }

  #wake(): void {
    Atomics.add(this.#words, POOL.events, 1);
    Atomics.notify(this.#words, POOL.events);
  }

  #hasRoomFor(bytes: number): boolean {
    return this.filledWith(bytes) > 0;
  }

  /** One that is large enough already, or else one that may grow. */
  #tryClaim(claim: Claim, bytes: number): number | undefined {
    const pages = Math.ceil(bytes / PAGE_BYTES);
    const limit = Atomics.load(this.#words, POOL.limit);
    for (let slot = 0; slot < limit; slot++) {
      if (this.#of(slot, SLOT.pages) >= pages && this.#take(slot, claim)) return slot;
    }
    for (let slot = 0; slot < limit; slot++) {
      if (this.#of(slot, SLOT.state) !== FREE || !this.#mayGrow(slot, bytes) || !this.#take(slot, claim)) continue;
      if (this.#grow(slot, pages)) return slot;
      // Nobody is woken: there is no more room than before.
      this.#free(slot);
    }
    return undefined;
  }

  /** Its lane is written last. */
  #take(slot: number, { lane, generation, batch }: Claim): boolean {
    if (Atomics.compareExchange(this.#words, this.#at(slot, SLOT.state), FREE, CLAIMED) !== FREE) return false;
    Atomics.store(this.#words, this.#at(slot, SLOT.generation), generation);
    Atomics.store(this.#words, this.#at(slot, SLOT.batch), batch);
    Atomics.store(this.#words, this.#at(slot, SLOT.lane), lane);
    return true;
  }

  #mayGrow(slot: number, bytes: number): boolean {
    const more = Math.ceil(bytes / PAGE_BYTES) - this.#of(slot, SLOT.pages);
    const used = Atomics.load(this.#words, POOL.pages);
    if (used + more <= Atomics.load(this.#words, POOL.budget)) return true;
    this.#refuse(bytes);
    return false;
  }

  #grow(slot: number, pages: number): boolean {
    const more = pages - this.#of(slot, SLOT.pages);
    if (more <= 0) return true;
    if (Atomics.add(this.#words, POOL.pages, more) + more > Atomics.load(this.#words, POOL.budget)) {
      Atomics.sub(this.#words, POOL.pages, more);
      return false;
    }
    Atomics.store(this.#words, this.#at(slot, SLOT.pages), pages);
    return true;
  }

  #at(slot: number, word: number): number {
    return POOL.words + slot * SLOT.words + word;
  }

  #of(slot: number, word: number): number {
    return Atomics.load(this.#words, this.#at(slot, word));
  }
}
