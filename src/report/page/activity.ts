/** Curves over one axis of time, in bins of equal width: every lane and channel of a run, and its host. */
export interface ActivityData {
  readonly fromSeconds: number;
  readonly binSeconds: number;
  readonly bins: number;
  readonly charts: readonly ActivityChart[];
}

export interface ActivityChart {
  readonly id: string;
  readonly title: string;
  /** `share` is 0 to 1; `per-second` counts elements. */
  readonly unit: 'share' | 'cores' | 'bytes' | 'bytes-per-second' | 'per-second' | 'slots';
  /** Curves add up to a whole and are stacked. */
  readonly stacked: boolean;
  readonly curves: readonly ActivityCurve[];
}

export interface ActivityCurve {
  readonly label: string;
  /** Operators it is about, so that a selection finds it. */
  readonly operators: readonly string[];
  /** One for each bin; undefined where nothing was read. */
  readonly values: readonly (number | undefined)[];
}
