import type { MemoryGuard } from '../stage/memory-guard.ts';

/** How far a part of a chunk may grow that nobody waits for. Sizes are guessed from the parts before it, so whenever it has doubled the lane's memory is looked at. */
export class PartGrowth {
  readonly #memory: Pick<MemoryGuard, 'allowance' | 'check' | 'held'>;
  /** Elements of the part when its memory was last looked at. */
  #weighed = 0;
  /** Bytes that the lane held when it was first. */
  #heldBefore = 0;

  constructor(memory: Pick<MemoryGuard, 'allowance' | 'check' | 'held'>) {
    this.#memory = memory;
  }

  /** Whether a part of `count` elements may get `next`. */
  mayReach(next: number, count: number): boolean {
    if (this.#weighed > 0 && next <= 2 * this.#weighed) return true;
    this.#memory.check();
    const { held, allowance } = this.#memory;
    if (this.#weighed === 0) this.#heldBefore = held;
    this.#weighed = count;
    return held - this.#heldBefore < allowance;
  }

  /** The part has left. */
  restart(): void {
    this.#weighed = 0;
  }
}
