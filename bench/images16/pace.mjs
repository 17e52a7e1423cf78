/** Images per second of a consumer, from the moment its producers are all at work, and what the process takes for one: `count` is called for every batch. */
import { BATCH } from './work.mjs';

export class Pace {
  #batches = 0;
  #began;
  #now = 0;
  #usage;

  /** `warmBatches` and `warmSeconds` must both be over before it counts; then it counts for `seconds`. */
  constructor({ warmBatches, warmSeconds, seconds }) {
    this.warmBatches = warmBatches;
    this.warmMs = warmSeconds * 1000;
    this.ms = seconds * 1000;
    this.started = performance.now();
  }

  /** Whether enough was counted. */
  count() {
    this.#now = performance.now();
    this.#batches++;
    if (this.#began === undefined) {
      if (this.#batches < this.warmBatches || this.#now - this.started < this.warmMs) return false;
      this.#began = this.#now;
      this.#batches = 0;
      this.#usage = process.resourceUsage();
    }
    return this.#now - this.#began >= this.ms;
  }

  /** The rate, and what all threads took for an image since it is counted. */
  get figures() {
    const now = process.resourceUsage();
    const each = key => (now[key] - this.#usage[key]) / (this.#batches * BATCH);
    return {
      imagesPerSecond: this.imagesPerSecond,
      userMs: each('userCPUTime') / 1000,
      systemMs: each('systemCPUTime') / 1000,
      pageFaults: each('minorPageFault'),
      switches: each('voluntaryContextSwitches') + each('involuntaryContextSwitches'),
    };
  }

  get imagesPerSecond() {
    return (this.#batches * BATCH * 1000) / (this.#now - this.#began);
  }
}

/** How long every side warms up, and is measured. */
export const paceOf = ({ lanes, seconds }) => ({ warmBatches: lanes + 1, warmSeconds: 2, seconds });
