import { arraysIn, objectsIn, sizeOf } from '../../contract/element-size.ts';
import type { LaneTotals } from '../../contract/probe.ts';
import { canTravel } from '../chunk/index.ts';

/** Timing may add this share to the work: costly elements are all timed, cheap ones rarely. */
const OVERHEAD = 0.001;
/**
 * Cheap elements are timed so many in a row. The first of them is not counted: its code has gone from the processor's caches, which takes
 * longer than most elements do.
 */
const IN_A_ROW = 32;
/** The last of them are also measured for their size; all are where all are timed. */
const SIZED = 4;
/** Estimated time of that first one, ns. */
const COLD = 10e3;
const MOST_GAP = 1 << 20;
/**
 * Where few are timed, an element counts for so many times the mean of its operator at most, and for no more than this part of all that was
 * timed before, once that is known from some: what takes longer is the collector or another thread, which came by chance.
 */
const MOST_TIMES = 200;
const MOST_PART = 0.25;
const SOME = 32;
/** That limit is at least this, ns: means of less are mostly the error of the clock. */
const LEAST_MOST = 1000;

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
  readonly #arrays: Float64Array;
  readonly #objects: Float64Array;
  readonly #staying: Float64Array;
  readonly #sized: Float64Array;
  readonly #clockCost = clockCost();
  /** Elements from the end of one row to the start of the next, on average; 0 where all are timed. */
  #gap = 0;
  #row = 0;
  #counts = true;
  #random = 0x9e3779b9;

  constructor(totals: LaneTotals, offset: number) {
    this.#time = totals.sampledTime.subarray(offset);
    this.#squares = totals.sampledSquares.subarray(offset);
    this.#elements = totals.sampledElements.subarray(offset);
    this.#bytes = totals.sampledBytes.subarray(offset);
    this.#arrays = totals.sampledArrays.subarray(offset);
    this.#objects = totals.sampledObjects.subarray(offset);
    this.#staying = totals.stayingElements.subarray(offset);
    this.#sized = totals.sizedElements.subarray(offset);
  }

  now(): number {
    return performance.now();
  }

  /** Called before an element is timed. */
  next(): void {
    this.#counts = this.#gap === 0 || this.#row > 0;
    this.#row = this.#gap === 0 ? 0 : (this.#row + 1) % IN_A_ROW;
    this.sizing = this.#row === 0 || this.#row > IN_A_ROW - SIZED;
    this.countdown = 1;
    if (this.#gap === 0 || this.#row > 0) return;
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    this.countdown += Math.floor((2 * this.#gap * this.#random) / 2 ** 32);
  }

  tick(at: number, since: number): number {
    if (this.#counts) this.#elements[at] = (this.#elements[at] ?? 0) + 1;
    return this.tickAgain(at, since);
  }

  tickAgain(at: number, since: number): number {
    if (!this.#counts) return performance.now();
    const passed = Math.max(0, (performance.now() - since) * 1e6 - this.#clockCost);
    const [before, elements] = [this.#time[at] ?? 0, this.#elements[at] ?? 0];
    const known = this.#gap > 0 && elements >= SOME;
    const most = known ? Math.max(LEAST_MOST, before * Math.min(MOST_PART, MOST_TIMES / elements)) : passed;
    const time = Math.min(passed, most);
    this.#time[at] = before + time;
    this.#squares[at] = (this.#squares[at] ?? 0) + (time / 1000) ** 2;
    return performance.now();
  }

  sized(at: number, value: unknown): number {
    this.#bytes[at] = (this.#bytes[at] ?? 0) + sizeOf(value);
    this.#arrays[at] = (this.#arrays[at] ?? 0) + arraysIn(value);
    this.#objects[at] = (this.#objects[at] ?? 0) + objectsIn(value);
    this.#sized[at] = (this.#sized[at] ?? 0) + 1;
    if (this.#staying[at] === 0 && !canTravel(value)) this.#staying[at] = 1;
    return performance.now();
  }

  /** Fits the gap to what an element costs, in ns. */
  fit(nsPerElement: number, operators: number): void {
    const cost = 2 * this.#clockCost * (operators + 1);
    const allowed = OVERHEAD * Math.max(1, nsPerElement);
    const rows = Math.round((COLD + IN_A_ROW * cost) / allowed) - IN_A_ROW;
    this.#gap = cost <= allowed ? 0 : Math.min(MOST_GAP, Math.max(1, rows));
    if (this.countdown > 1 + 2 * this.#gap) this.countdown = 1 + this.#gap;
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
