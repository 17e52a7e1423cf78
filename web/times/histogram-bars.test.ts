import { expect, test } from 'vitest';
import { LogHistogram } from '../../src/math/histogram.ts';
import type { TimedRow } from '../../src/report/page/times.ts';
import { axisOf, barsOf, histogramWords } from './histogram-bars.ts';

function rowOf(values: readonly number[]): TimedRow {
  const histogram = new LogHistogram();
  for (const value of values) histogram.add(value);
  const ranges = histogram.ranges(4);
  return { label: 'decode', operators: ['decode'], timed: values.length, ranges } as unknown as TimedRow;
}

test('columns lie on the axis one behind the other, and the highest is the most frequent time', () => {
  const rows = [rowOf([1000, 1000, 1000, 64_000]), rowOf([0, 500]), rowOf([1e9])];
  const axis = axisOf(rows);
  for (const row of rows) {
    const bars = barsOf(row, axis);
    expect(Math.max(...bars.map(({ share }) => share))).toBe(1);
    for (const [at, { from, to }] of bars.entries()) {
      expect(from >= 0 && to <= 1 && to >= from).toBe(true);
      expect(from).toBeGreaterThanOrEqual(bars[at - 1]?.to ?? 0);
    }
  }
  expect(barsOf(rows[0] as TimedRow, axis).map(({ share }) => share)).toEqual([1, 1 / 3]);
});

test('it says in words where most times lie', () => {
  expect(histogramWords(rowOf([1000, 1000, 1000, 64_000]))).toMatch(/^decode: 75 % .* to .*, 25 % /);
});

test('an empty table has an axis, too', () => {
  const { from, to } = axisOf([]);
  expect(to).toBeGreaterThan(from);
  expect(barsOf(rowOf([]), { from, to })).toEqual([]);
});
