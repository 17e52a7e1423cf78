import { percent, time } from '../../src/report/format.ts';
import type { TimedRow } from '../../src/report/page/times.ts';

/** Times from the shortest to the longest of a table, ns. */
export interface TimeAxis {
  readonly from: number;
  readonly to: number;
}

/** A column: where it begins and ends on the axis, and its height, parts of the whole. */
export interface HistogramBar {
  readonly from: number;
  readonly to: number;
  readonly share: number;
}

export function axisOf(rows: readonly TimedRow[]): TimeAxis {
  const ranges = rows.flatMap(row => row.ranges);
  if (ranges.length === 0) return { from: 1, to: 2 };
  // Loops: there may be more of them than a call takes arguments.
  const least = ranges.reduce((low, range) => Math.min(low, range.low), Number.POSITIVE_INFINITY);
  const from = Math.max(1, least);
  return { from, to: ranges.reduce((high, range) => Math.max(high, range.high), 2 * from) };
}

/** Equal factors of time are equally wide. */
export function barsOf({ ranges }: TimedRow, { from, to }: TimeAxis): HistogramBar[] {
  const most = Math.max(1, ...ranges.map(({ count }) => count));
  const place = (ns: number): number => Math.log(Math.max(from, ns) / from) / Math.log(to / from);
  return ranges
    .filter(({ count }) => count > 0)
    .map(({ low, high, count }) => ({ from: place(low), to: place(high), share: count / most }));
}

/** The ranges with most times in them. */
export function histogramWords({ label, ranges, timed }: TimedRow): string {
  const most = ranges.toSorted((a, b) => b.count - a.count).slice(0, 3);
  const words = most.map(({ low, high, count }) => `${percent(count / timed)} ${time(low)} to ${time(high)}`);
  return `${label}: ${words.join(', ')}`;
}
