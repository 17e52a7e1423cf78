import { Numbering } from './numbering.ts';
import type { Reason } from './span-meaning.ts';

/** Owner of a sample: an operator by its name, or the reason why it has none. */
export type Owner = { readonly operator: string } | { readonly reason: Reason };

/** Receiver of samples with their owners. */
export interface JoinedSamples {
  add(owner: Owner, symbol: number, event: number, weight: number): void;
}

/** Size of the window of undecided samples. A span written more than so many samples after its end comes too late. */
const WINDOW = 1 << 18;

/**
 * Joins the samples of one thread to the innermost span open at their time. Samples arrive in the order of time. Spans arrive
 * after they have ended, inner ones before or after the outer. So samples stay undecided in a window, and of the spans that
 * contain a sample the one that began last owns it.
 */
export class ThreadJoin {
  readonly #joined: JoinedSamples;
  readonly #capacity: number;
  readonly #time: Float64Array;
  readonly #weight: Float64Array;
  readonly #symbol: Int32Array;
  readonly #event: Uint8Array;
  readonly #spanStart: Float64Array;
  readonly #spanEnd: Float64Array;
  readonly #owner: Int32Array;
  readonly #owners = new Numbering<Owner>();
  #latest = { owner: -1, start: 0, end: 0 };
  #count = 0;
  #firstStart = Number.POSITIVE_INFINITY;
  #lastEnd = Number.NEGATIVE_INFINITY;

  constructor(joined: JoinedSamples, capacity = WINDOW) {
    this.#joined = joined;
    this.#capacity = capacity;
    this.#time = new Float64Array(capacity);
    this.#weight = new Float64Array(capacity);
    this.#symbol = new Int32Array(capacity);
    this.#event = new Uint8Array(capacity);
    this.#spanStart = new Float64Array(capacity);
    this.#spanEnd = new Float64Array(capacity);
    this.#owner = new Int32Array(capacity);
  }

  sample(time: number, symbol: number, event: number, weight: number): void {
    if (this.#count === this.#capacity) this.#decide(this.#capacity >> 1);
    const at = this.#count++;
    this.#time[at] = time;
    this.#weight[at] = weight;
    this.#symbol[at] = symbol;
    this.#event[at] = event;
    const { owner, start, end } = this.#latest;
    const isInside = time >= start && time < end;
    this.#spanStart[at] = isInside ? start : Number.NEGATIVE_INFINITY;
    this.#spanEnd[at] = isInside ? end : Number.POSITIVE_INFINITY;
    this.#owner[at] = isInside ? owner : -1;
  }

  /** Claims the undecided samples inside the span. Samples up to its end that have not arrived yet must come next. */
  span(owner: Owner, start: number, end: number): void {
    this.#firstStart = Math.min(this.#firstStart, start);
    this.#lastEnd = Math.max(this.#lastEnd, end);
    const number = this.#owners.of('operator' in owner ? `o${owner.operator}` : `r${owner.reason}`, owner);
    this.#latest = { owner: number, start, end };
    for (let at = this.#firstAt(start); at < this.#count && (this.#time[at] ?? end) < end; at++) {
      const began = this.#spanStart[at] ?? start;
      if (start < began || (start === began && end > (this.#spanEnd[at] ?? end))) continue;
      this.#owner[at] = number;
      this.#spanStart[at] = start;
      this.#spanEnd[at] = end;
    }
  }

  /** No more spans of this thread: undecided samples keep their owners. `isCut`: its recording was not closed. */
  finish(isCut: boolean): void {
    this.#decide(this.#count, isCut ? 'torn' : 'after');
    this.#firstStart = Number.POSITIVE_INFINITY;
    this.#lastEnd = Number.NEGATIVE_INFINITY;
    this.#latest = { owner: -1, start: 0, end: 0 };
  }

  #decide(count: number, afterLast: Reason = 'betweenSpans'): void {
    for (let at = 0; at < count; at++) {
      const owner = this.#owners.list[this.#owner[at] ?? -1] ?? {
        reason: this.#reason(this.#time[at] ?? 0, afterLast),
      };
      this.#joined.add(owner, this.#symbol[at] ?? -1, this.#event[at] ?? 0, this.#weight[at] ?? 0);
    }
    const left = this.#count - count;
    for (const column of this.#columns()) column.copyWithin(0, count, this.#count);
    this.#count = left;
  }

  #columns() {
    return [this.#time, this.#weight, this.#symbol, this.#event, this.#spanStart, this.#spanEnd, this.#owner] as const;
  }

  #reason(time: number, afterLast: Reason): Reason {
    if (time < this.#firstStart) return 'before';
    return time >= this.#lastEnd ? afterLast : 'betweenSpans';
  }

  /** The first undecided sample at or after a moment. */
  #firstAt(moment: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#time[middle] ?? 0) < moment) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
