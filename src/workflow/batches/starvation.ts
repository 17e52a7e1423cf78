import type { SlotPool } from '../../engine/handover/slot-pool.ts';

/** Time, ms, that a consumer waits for a batch before lanes stop waiting for slots. */
const PATIENCE_MS = 5;

/** Tells the lanes whether the consumer waits for a batch that is not there: none of them may wait for a slot then. */
export class Starvation {
  readonly #pool: SlotPool;
  readonly #consumerWaits: () => boolean;
  /** This thread waits for the run. */
  #isHungry = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: SlotPool, consumerWaits: () => boolean) {
    this.#pool = pool;
    this.#consumerWaits = consumerWaits;
    this.look();
  }

  /** A batch is there. */
  fed(): void {
    this.#isHungry = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pool.starving = false;
  }

  /** The next batch is wanted from the run. */
  hungry(): void {
    this.#isHungry = true;
    this.look();
  }

  look(): void {
    if (!this.#isHungry || this.#timer !== undefined || !this.#consumerWaits()) return;
    this.#timer = setTimeout(() => {
      this.#pool.starving = true;
    }, PATIENCE_MS);
  }

  close(): void {
    // Whoever waits for a slot now waits in vain.
    clearTimeout(this.#timer);
    this.#pool.starving = true;
  }
}
