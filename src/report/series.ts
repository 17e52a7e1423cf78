/** A curve: columns of equal length. */
export interface Points {
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** Its band, where one is known. */
  readonly low?: readonly number[];
  readonly high?: readonly number[];
}

/** Periods that do not overlap, in order; seconds of the run. */
export interface Period {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** A word or an id; periods with the same label are drawn alike. */
  readonly label: string;
}

/** Resolves the keys that charts and timelines of one report name; undefined for a key of another. */
export interface SeriesProvider {
  points(key: string): Points | undefined;
  periods(key: string): readonly Period[] | undefined;
}
