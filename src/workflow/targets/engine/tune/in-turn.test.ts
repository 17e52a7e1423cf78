import { describe, expect, it } from 'vitest';
import type { Interval } from '../../../../math/statistics.ts';
import { contendersOf, isClose, middle, unsteadiness } from './in-turn.ts';

const tried = (...rates: number[]): { readonly measured: Interval }[] =>
  rates.map(estimate => ({ measured: { estimate, low: estimate, high: estimate, confidence: 0.9 } }));

describe('plans that came close to each other', () => {
  it.each([
    ['the best and those close to it', [80, 100, 90, 70], [1, 2, 0]],
    ['the best alone, where it is far ahead', [60, 100, 70], [1]],
    ['nobody, where there is none', [], []],
  ])('are %s', (_, rates, expected) => {
    expect(contendersOf(tried(...rates))).toEqual(expected);
  });

  it('count as what they were in the middle', () => {
    expect(middle(tried(90, 140, 100)).measured.estimate).toBe(100);
    expect(middle(tried(140, 90)).measured.estimate).toBe(90);
  });

  it.each([
    ['of two plans', [40], [90, 100], true],
    ['of the pipeline as it is and the only plan', [80], [100], true],
    ['of the pipeline as it is and a slower plan', [100], [60], true],
    ['not where the only plan is far ahead', [40], [100], false],
    ['not where the best of two is far ahead of the other and of the pipeline', [40], [100, 60], false],
    ['not where nothing was tried', [40], [], false],
  ])('are measured again: %s', (_, [before = 0], rates, expected) => {
    expect(isClose(tried(before)[0], tried(...rates))).toBe(expected);
  });

  it('are said to be unsteady where the same was now fast and now slow', () => {
    expect(unsteadiness([tried(100, 120, 110), tried(200)])).toEqual([]);
    expect(unsteadiness([tried(100, 120, 110), tried(200, 360, 210)])).toEqual([
      {
        code: 'VENTURI_WARN_RATES_UNSTEADY',
        message: expect.stringMatching(/^Measured again, the same plan was up to 1\.8 times as fast/),
      },
    ]);
  });
});
