import type { Interval } from './statistics.ts';

/** The largest ratio high / low at which an interval still counts as a forecast. */
const WIDEST = 3;

/** Whether an interval is narrow enough to be a forecast. */
export const isNarrow = ({ low, high }: Pick<Interval, 'low' | 'high'>): boolean => low > 0 && high <= WIDEST * low;

/** Replaces the estimate of too wide an interval by NaN (`null` in JSON), and keeps its ends to show the width. */
export const estimateIfNarrow = (interval: Interval): Interval =>
  isNarrow(interval) ? interval : { ...interval, estimate: Number.NaN };
