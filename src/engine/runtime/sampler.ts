import { sizeOf } from './chunk/index.ts';
import type { LaneTotals } from './probe.ts';

/** Timing may add this share to the work: costly elements are all timed, cheap ones rarely. */
const OVERHEAD = 0.002;
const MOST_GAP = 1 << 16;
/** One timed element in this many is also measured for its size; all of them where all are timed. */
const SIZE_EVERY = 8;

/**
 * Times single elements operator by operator inside the fused loop. The gaps are random, so that sampling cannot fall
 * into step with a batch; the clock's own cost is measured once and taken off.
 */
export class Sampler {
  countdown = 1;
  sizing = false;
  readonly #time: Float64Array;
  readonly #squares: Float64Array;
  readonly #elements: Float64Array;
  readonly #bytes: Float64Array;
  readonly #sized: Float64Array;
  readonly #clockCost = clockCost();
  #gap = 1;
  #samples = 0;
  #random = 0x9e3779b9;

  constructor(totals: LaneTotals, offset: number) {
    this.#time = totals.sampledTime.subarray(offset);
    this.#squares = totals.sampledSquares.subarray(offset);
    this.#elements = totals.sampledElements.subarray(offset);
    this.#bytes = totals.sampledBytes.subarray(offset);
    this.#sized = totals.sizedElements.subarray(offset);
  }

  now(): number {
    return performance.now();
  }

  next(): void {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    this.countdown = 1 + Math.floor((2 * (this.#gap - 1) * this.#random) / 2 ** 32);
    this.sizing = this.#gap === 1 || ++this.#samples % SIZE_EVERY === 0;
  }

  tick(at: number, since: number): number {
    this.#elements[at] = (this.#elements[at] ?? 0) + 1;
    return this.tickAgain(at, since);
  }

  tickAgain(at: number, since: number): number {
    const time = Math.max(0, (performance.now() - since) * 1e6 - this.#clockCost);
    this.#time[at] = (this.#time[at] ?? 0) + time;
    this.#squares[at] = (this.#squares[at] ?? 0) + (time / 1000) ** 2;
    return performance.now();
  }

  sized(at: number, value: unknown): number {
    this.#bytes[at] = (this.#bytes[at] ?? 0) + sizeOf(value);
    this.#sized[at] = (this.#sized[at] ?? 0) + 1;
    return performance.now();
  }

  /** Fits the gap to what an element costs, in ns. */
  fit(nsPerElement: number, operators: number): void {
    const cost = 2 * this.#clockCost * (operators + 1);
    this.#gap = Math.min(MOST_GAP, Math.max(1, Math.round(cost / (OVERHEAD * Math.max(1, nsPerElement)))));
    if (this.countdown > 2 * this.#gap) this.countdown = this.#gap;
  }
}

/** What the clock adds to every interval it measures, in ns: the least of several means. */
function clockCost(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const began = performance.now();
    for (let reading = 0; reading < 200; reading++) performance.now();
    least = Math.min(least, ((performance.now() - began) * 1e6) / 200);
  }
  return least;
}
