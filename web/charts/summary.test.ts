import { expect, test } from 'vitest';
import { summaryOf } from './summary.ts';

const curve = { label: 'lane', operators: [], values: [null, 1, 3, 8] };

test('a curve in three figures, over all its bins or those that a range touches', () => {
  expect(summaryOf(curve, 0.5, undefined)).toEqual({ label: 'lane', least: 1, mean: 4, most: 8 });
  expect(summaryOf(curve, 0.5, { from: 0.6, to: 1.2 })).toEqual({ label: 'lane', least: 1, mean: 2, most: 3 });
  expect(summaryOf(curve, 0.5, { from: 0, to: 0.5 })).toBeUndefined();
});
