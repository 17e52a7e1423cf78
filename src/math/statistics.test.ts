import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from './random.ts';
import { mean, median, medianInterval, quantile, ratioInterval, standardDeviation } from './statistics.ts';

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

describe('medianInterval', () => {
  it('takes the tabulated ranks', () => {
    // Rank k of n for 95 %, as in the usual tables of the sign test: 6 → 1, 10 → 2, 20 → 6, 50 → 18, 100 → 40.
    for (const [count, rank] of [
      [6, 1],
      [10, 2],
      [20, 6],
      [50, 18],
      [100, 40],
    ] as const) {
      const values = Array.from({ length: count }, (_, i) => i + 1);
      const interval = medianInterval(values, 0.95);
      expect([interval.low, interval.high]).toEqual([rank, count + 1 - rank]);
      expect(interval.confidence).toBeGreaterThanOrEqual(0.95);
    }
    expect(medianInterval([1, 2, 3, 4, 5, 6], 0.95).confidence).toBeCloseTo(1 - 2 / 64, 12);
  });

  it('says what it reaches with too few values', () => {
    const interval = medianInterval([3, 1, 2], 0.95);
    expect(interval.low).toBe(1);
    expect(interval.high).toBe(3);
    expect(interval.estimate).toBe(2);
    expect(interval.confidence).toBeCloseTo(0.75, 12);
    expect(medianInterval([7], 0.95)).toEqual({ estimate: 7, low: 7, high: 7, confidence: 0 });
  });

  it('encloses its estimate', () => {
    const sample = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(sample, fc.double({ min: 0, max: 0.999, noNaN: true }), (values, confidence) => {
        const { low, estimate, high } = medianInterval(values, confidence);
        expect(low <= estimate && estimate <= high).toBe(true);
      }),
    );
  });

  it('holds the true median as often as it claims, for a skewed distribution', () => {
    const random = new Random();
    let held = 0;
    for (let trial = 0; trial < 2000; trial++) {
      random.rekey(1, 2, 0, trial, 0);
      const values = Array.from({ length: 15 }, () => Math.exp(random.normal()));
      const { low, high } = medianInterval(values, 0.95);
      if (low <= 1 && 1 <= high) held++;
    }
    // The ranks 4 and 12 of 15 really hold it in 96.5 % of all cases.
    expect(Math.abs(held / 2000 - 0.965)).toBeLessThan(0.02);
  });

  it('copes with thousands of values', () => {
    const values = Array.from({ length: 5000 }, (_, i) => i);
    const { low, high, confidence } = medianInterval(values, 0.99);
    expect(confidence).toBeGreaterThanOrEqual(0.99);
    expect(high - low).toBeLessThan(200);
  });
});

describe('ratioInterval', () => {
  it('divides medians and encloses the ratio', () => {
    const slow = [20, 21, 19, 20.5, 19.5, 20, 20.2, 19.8, 20.1];
    const fast = slow.map(value => value / 2);
    const { estimate, low, high, confidence } = ratioInterval(slow, fast, 0.95);
    expect(estimate).toBe(2);
    // Of nine values, ranks 2 and 8 reach 96.1 %, and each side is asked for 97.5 %: so the whole ranges.
    expect(low).toBeCloseTo(19 / 10.5, 12);
    expect(high).toBeCloseTo(21 / 9.5, 12);
    expect(confidence).toBeGreaterThanOrEqual(0.95);
  });
});
