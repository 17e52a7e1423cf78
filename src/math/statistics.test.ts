import { describe, expect, it } from 'vitest';
import { mean, median, quantile, standardDeviation } from './statistics.ts';

describe('sample statistics', () => {
  it('matches values worked out by hand', () => {
    const values = [4, 1, 3, 2];
    expect(mean(values)).toBe(2.5);
    expect(median(values)).toBe(2.5);
    expect(median([9, 1, 5])).toBe(5);
    expect(standardDeviation(values)).toBeCloseTo(Math.sqrt(5 / 3), 12);
    expect(quantile([1, 2, 3, 4], 0)).toBe(1);
    expect(quantile([1, 2, 3, 4], 0.25)).toBe(1.75);
    expect(quantile([1, 2, 3, 4], 1)).toBe(4);
    expect(values).toEqual([4, 1, 3, 2]);
  });

  it('has no value where the sample is too small', () => {
    expect(mean([])).toBeNaN();
    expect(median([])).toBeNaN();
    expect(standardDeviation([1])).toBeNaN();
  });
});
