import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogHistogram } from './histogram.ts';

function histogramOf(values: readonly number[]): LogHistogram {
  const histogram = new LogHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

/** By nearest rank. */
function exactQuantile(values: readonly number[], p: number): number {
  const ascending = [...values].sort((a, b) => a - b);
  return ascending[Math.max(0, Math.ceil(p * values.length) - 1)] ?? Number.NaN;
}

// From every octave alike, so that large and small values meet in one histogram.
const value = fc.oneof(
  fc.tuple(fc.double({ min: 0, max: 53, noNaN: true })).map(([octave]) => 2 ** octave),
  fc.integer({ min: 0, max: 2 ** 53 - 1 }),
  fc.nat(300),
  fc.constantFrom(0, 1, 2 ** 53),
);
const values = fc.array(value, { minLength: 1, maxLength: 200 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('LogHistogram', () => {
  it('is within 1/128 of the exact quantile', () => {
    fc.assert(
      fc.property(values, share, (sample, p) => {
        const exact = exactQuantile(sample, p);
        expect(Math.abs(histogramOf(sample).quantile(p) - exact)).toBeLessThanOrEqual(exact / 128);
      }),
      { numRuns: 500 },
    );
  });

  it('has exact quantiles of whole numbers up to 256', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(256), { minLength: 1 }), share, (sample, p) => {
        expect(histogramOf(sample).quantile(p)).toBe(exactQuantile(sample, p));
      }),
    );
  });

  it('keeps count, sum, mean, minimum and maximum exactly', () => {
    const histogram = histogramOf([3, 1e9 + 1, 0, 17.5]);
    expect(histogram.count).toBe(4);
    expect(histogram.sum).toBe(1e9 + 21.5);
    expect(histogram.mean).toBe((1e9 + 21.5) / 4);
    expect(histogram.min).toBe(0);
    expect(histogram.max).toBe(1e9 + 1);
    expect(histogram.quantile(0)).toBe(0);
    expect(histogram.quantile(1)).toBe(1e9 + 1);
  });

  it('merges into what one histogram of both would be, and leaves the other as it was', () => {
    fc.assert(
      fc.property(values, values, share, (left, right, p) => {
        const merged = histogramOf(left);
        const other = histogramOf(right);
        merged.merge(other);
        const whole = histogramOf([...left, ...right]);
        expect(merged.count).toBe(whole.count);
        expect(merged.min).toBe(whole.min);
        expect(merged.max).toBe(whole.max);
        expect(merged.quantile(p)).toBe(whole.quantile(p));
        expect(other.count).toBe(right.length);
      }),
    );
  });

  it('has every value in one of its ranges, which follow each other from the least to the most', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(1, 2, 8), (sample, perOctave) => {
        const ranges = histogramOf(sample).ranges(perOctave);
        for (const [at, { low, high, count }] of ranges.entries()) {
          expect(count).toBe(sample.filter(each => each >= low && each < high).length);
          if (at > 0) expect(low).toBe(ranges[at - 1]?.high);
        }
        expect(ranges[0]?.count).toBeGreaterThan(0);
        expect(ranges.at(-1)?.count).toBeGreaterThan(0);
        expect(ranges.reduce((sum, { count }) => sum + count, 0)).toBe(sample.length);
      }),
      { numRuns: 20 },
    );
    expect(new LogHistogram().ranges(1)).toEqual([]);
  });

  it('has nothing to say while empty, and merges with an empty one', () => {
    const empty = new LogHistogram();
    expect([empty.count, empty.sum]).toEqual([0, 0]);
    expect([empty.mean, empty.min, empty.max, empty.quantile(0.5)]).toEqual([
      Number.NaN,
      Number.NaN,
      Number.NaN,
      Number.NaN,
    ]);
    const one = histogramOf([5]);
    one.merge(empty);
    empty.merge(one);
    expect([one.count, empty.count, empty.quantile(0.5)]).toEqual([1, 1, 5]);
  });

  it('refuses what it cannot count', () => {
    const histogram = new LogHistogram();
    for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 54]) {
      expect(() => histogram.add(bad)).toThrow(RangeError);
    }
    expect(histogram.count).toBe(0);
    expect(() => histogram.quantile(50)).toThrow(RangeError);
  });
});
