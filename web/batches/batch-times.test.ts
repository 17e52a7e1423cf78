import { describe, expect, test } from 'vitest';
import type { PageBatch } from '../../src/report/page/batches.ts';
import { columnsOf, longest, rangeOf, timeOf } from './batch-times.ts';

const batch = (number: number, moments: Partial<PageBatch>): PageBatch => ({
  number,
  consumer: 1,
  preparer: 2,
  isOutOfOrder: false,
  prepareStart: Number.NaN,
  prepareEnd: Number.NaN,
  waitStart: Number.NaN,
  waitEnd: Number.NaN,
  consumeEnd: Number.NaN,
  ...moments,
});

const batches = [
  batch(0, { prepareStart: 0, prepareEnd: 4e9, waitStart: 1e9, waitEnd: 5e9, consumeEnd: 6e9 }),
  batch(1, { prepareStart: 1e9, prepareEnd: 2e9, waitStart: 6e9, waitEnd: 6e9, consumeEnd: 7e9 }),
  // Cut: neither its preparation nor the end of its step was recorded.
  batch(2, { waitStart: 7e9, waitEnd: 10e9 }),
];

describe('batches', () => {
  test('are sorted by each of their times', () => {
    const order = (time: Parameters<typeof longest>[1]): number[] => longest(batches, time).map(({ number }) => number);
    expect(order('preparation')).toEqual([0, 1, 2]);
    expect(order('wait')).toEqual([0, 2, 1]);
    expect(order('delay')).toEqual([1, 0, 2]);
  });

  test('have a range from their preparation to the end of their use, as far as it was recorded', () => {
    expect(batches.map(rangeOf)).toEqual([
      { from: 0, to: 6 },
      { from: 1, to: 7 },
      { from: 7, to: 10 },
    ]);
  });

  test.each([1, 3, 10, 1000])('lose none of their longest times in %d columns', columns => {
    for (const time of ['preparation', 'wait', 'delay'] as const) {
      const drawn = columnsOf(batches, time, { from: 0, to: 10e9 }, columns);
      expect(drawn).toHaveLength(columns);
      expect(Math.max(...drawn)).toBe(Math.max(...batches.map(each => timeOf(each, time))));
    }
  });
});
