/** Where a generated loop puts the elements that leave it. The loop writes `values` and the identity columns itself. */
export interface Sink {
  readonly values: unknown[];
  readonly sequence: number[];
  readonly sub: number[];
  count: number;
  /** Items of rows that lie flat in `values`, those of the row not yet complete included. */
  flat: number;
  /** Items of the last row, where it is shorter than the others. */
  rest: number;
  /** Reaching it calls `full`; with false where no more of the input at hand is to come. */
  limit: number;
  full(more?: boolean): void;
  /** Memory in which what leaves may be made: see `Lender`. */
  lend?(bytes: number, vacate: () => boolean): Uint8Array | undefined;
  /** Number of the element at which the loop threw. */
  failed: number | undefined;
}

/** Holds everything: between the segments of a stage, and at the end of an inline run. */
export class Collected implements Sink {
  readonly values: unknown[] = [];
  readonly sequence: number[] = [];
  readonly sub: number[] = [];
  count = 0;
  readonly flat = 0;
  readonly rest = 0;
  readonly limit = Number.POSITIVE_INFINITY;
  failed: number | undefined;

  full(): void {}

  clear(): void {
    this.values.length = 0;
    this.count = 0;
  }
}
