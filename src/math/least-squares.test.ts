import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nonNegativeFit } from './least-squares.ts';

const DESIGN = [
  [1, 1, 4],
  [1, 32, 128],
  [1, 1, 5000],
  [1, 16, 70_000],
  [1, 900, 4000],
];

const observed = (coefficients: readonly number[]) =>
  DESIGN.map(terms => ({
    terms,
    value: terms.reduce((sum, term, at) => sum + term * (coefficients[at] ?? 0), 0),
  }));

describe('a fit without coefficients below zero', () => {
  test('finds those that values were made of', () => {
    const coefficient = fc.double({ min: 0.01, max: 1000, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(coefficient, coefficient, coefficient), made => {
        const found = nonNegativeFit(observed(made));
        for (const { terms, value } of observed(found)) {
          const wanted = observed(made).find(each => each.terms === terms)?.value ?? 0;
          expect(value / wanted).toBeCloseTo(1, 6);
        }
      }),
    );
  });

  test('leaves out a term that would have to be below zero', () => {
    const values = [10, 9, 8, 7].map((value, at) => ({ terms: [1, at + 1], value }));
    const [level, slope] = nonNegativeFit(values);
    expect(slope).toBe(0);
    expect(level).toBeGreaterThan(7);
    expect(level).toBeLessThan(10);
  });

  test('is as far above one as below another, in proportion', () => {
    const [level = 0] = nonNegativeFit([1, 100].map(value => ({ terms: [1], value })));
    expect(level).toBeCloseTo(10, 3);
  });

  test('is zero for a term that is the same as another, which then has all of it', () => {
    const twins = [1, 2, 3].map(x => ({ terms: [x, x], value: 6 * x }));
    const [first = 0, second = 0] = nonNegativeFit(twins);
    expect(first + second).toBeCloseTo(6);
  });

  test('is nothing where nothing was seen', () => {
    expect(nonNegativeFit([])).toEqual([]);
    expect(nonNegativeFit([{ terms: [1, 2], value: 0 }])).toEqual([]);
  });
});
