import { describe, expect, it } from 'vitest';
import type { Interval } from '../../math/statistics.ts';
import { gainOf, type Judged, judge } from './judgement.ts';

const within = (estimate: number, low: number, high: number): Interval => ({ estimate, low, high, confidence: 0.9 });
const exactly = (rate: number): Interval => within(rate, rate, rate);

/** A plan beside a pipeline of 100/s. */
const plan = (gained: Interval, more: Partial<Judged> = {}): Judged => ({
  measured: exactly(100 * gained.estimate),
  gained,
  lanes: 2,
  ofPasses: 1,
  ...more,
});

describe('of plans that were measured', () => {
  it.each([
    ['the fastest', [plan(within(1.2, 1.1, 1.3)), plan(within(1.5, 1.4, 1.6))], undefined, { best: 1 }],
    [
      'not one that may be no faster',
      [plan(within(1.2, 1.1, 1.3)), plan(within(1.5, 0.9, 2.5))],
      undefined,
      { best: 0 },
    ],
    [
      'of equals the one with fewer lanes',
      [plan(within(1.5, 1.4, 1.6)), plan(within(1.5, 1.4, 1.6), { lanes: 1 })],
      undefined,
      { best: 1 },
    ],
    [
      'the one with fewer lanes of those that reach a target',
      [plan(within(3, 2.9, 3.1)), plan(within(2, 1.9, 2.1), { lanes: 1 })],
      150,
      { best: 1 },
    ],
    ['none where its interval touches 1', [plan(within(1.1, 1, 1.2))], undefined, { unchanged: 'not-certain' }],
    ['none where it is slower', [plan(within(0.82, 0.7, 0.95))], undefined, { unchanged: 'not-faster' }],
    ['none where the pipeline reaches the target', [plan(within(1.5, 1.4, 1.6))], 90, { unchanged: 'enough' }],
    [
      'none where filling its cache never pays',
      [plan(within(1.5, 1.4, 1.6), { ofPasses: 0.6 })],
      undefined,
      { unchanged: 'does-not-pay' },
    ],
    ['none where there is none', [], undefined, { unchanged: 'nothing-tried' }],
  ])('is taken %s', (_, plans, target, expected) => {
    expect(judge(plans, exactly(100), target)).toEqual(expected);
  });

  it('one that was measured once has to be faster by more than runs differ from each other', () => {
    const once = (rate: number) =>
      gainOf([{ round: 0, measured: exactly(rate) }], [{ round: 0, measured: exactly(100) }]);
    expect(once(120).low).toBeLessThan(1);
    expect(once(200).low).toBeGreaterThan(1);
  });
});
