import { byteRate, byteSize, decimal, percent, rate } from '../../src/report/format.ts';
import type { ActivityChart, ActivityCurve } from '../../src/report/page/activity.ts';

/** A value of a chart with its unit. */
export const UNIT_WORDS: Readonly<Record<ActivityChart['unit'], (value: number) => string>> = {
  share: percent,
  cores: decimal,
  bytes: byteSize,
  'bytes-per-second': byteRate,
  'per-second': rate,
  chunks: decimal,
};

export interface CurveSummary {
  readonly label: string;
  readonly least: number;
  readonly mean: number;
  readonly most: number;
}

/** A curve in three figures, between two moments in seconds; undefined where it has no value there. */
export function summaryOf(
  { label, values }: ActivityCurve,
  binSeconds: number,
  range: { readonly from: number; readonly to: number } | undefined,
): CurveSummary | undefined {
  const its = values.filter((value, at): value is number => {
    const isIn = range === undefined || ((at + 1) * binSeconds > range.from && at * binSeconds < range.to);
    return isIn && value !== null;
  });
  if (its.length === 0) return undefined;
  const sum = its.reduce((sofar, value) => sofar + value, 0);
  return { label, least: Math.min(...its), mean: sum / its.length, most: Math.max(...its) };
}
