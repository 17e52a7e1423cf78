import { describe, expect, it } from 'vitest';
import { contendersOf, middle } from './in-turn.ts';
import type { TriedPlan } from './result.ts';

const tried = (...rates: number[]): TriedPlan[] =>
  rates.map(estimate => ({ measured: { estimate, low: estimate, high: estimate, confidence: 0.9 } }) as TriedPlan);

describe('plans that came close to each other', () => {
  it.each([
    ['the best and those close to it', [80, 100, 90, 70], [1, 2, 0]],
    ['the best alone, where it is far ahead', [60, 100, 70], [1]],
    ['nobody, where there is none', [], []],
  ])('are %s', (_, rates, expected) => {
    expect(contendersOf(tried(...rates))).toEqual(expected);
  });

  it('count as what they were in the middle', () => {
    expect(middle(tried(90, 140, 100))?.measured.estimate).toBe(100);
    expect(middle(tried(140, 90))?.measured.estimate).toBe(90);
    expect(middle([])).toBeUndefined();
  });
});
