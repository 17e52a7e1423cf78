import { expect, it } from 'vitest';
import { baselinesOf, closedThroughput } from './baselines.ts';

const demand = { batchSize: 10, alone: 10 / 4, downBytes: 100, upBytes: 100, computeSeconds: 2, bandwidth: 100 };

it('the formulas agree on one worker whose phases do not overlap', () => {
  expect(baselinesOf(demand, 1, 'async')).toEqual({ linear: 2.5, bound: 2.5, queueing: 2.5, cynthia: 2.5 });
});

it('the bound ends at the busiest link, and the queueing model comes near it from below', () => {
  const { linear, bound, queueing, cynthia } = baselinesOf(demand, 100, 'async');
  expect([linear, bound]).toEqual([250, 10]);
  expect(queueing).toBeLessThan(10);
  expect(queueing).toBeGreaterThan(9.8);
  // U₁ is 1/4, so T_P becomes 25 times as long.
  expect(cynthia).toBeCloseTo(1000 / (2 * 25 + 2), 12);
});

it('mean value analysis of one station and a delay is the recursion of the textbook', () => {
  // Two customers, demand 1, delay 1: R(1) = 1, X(1) = 1/2, Q(1) = 1/2, R(2) = 3/2, X(2) = 2 / (5/2).
  expect(closedThroughput(2, [1], 1)).toBeCloseTo(0.8, 12);
});

it('without communication there is no bound but the workers', () => {
  const silent = { ...demand, downBytes: 0, upBytes: 0, alone: 5 };
  expect(baselinesOf(silent, 3, 'sync')).toEqual({ linear: 15, bound: 15, queueing: 15, cynthia: 15 });
});

it('says nothing by formulas of parameter servers where there are none', () => {
  expect(baselinesOf(demand, 2, 'allreduce')).toMatchObject({ linear: 5, queueing: undefined, cynthia: undefined });
});
