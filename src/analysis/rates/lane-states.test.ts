import { expect, test } from 'vitest';
import { busiestShare, busyOf, byState, type StateTimes, stateShares } from './lane-states.ts';

const lived = (times: Partial<StateTimes>): StateTimes => byState(state => times[state] ?? 0);

test('a lane that lived a moment says little of its stage', () => {
  const lanes = [lived({ running: 20, starved: 80 }), lived({ running: 1 }), lived({})];
  expect(busyOf(stateShares(lanes))).toBeCloseTo(21 / 101);
  expect(busiestShare(lanes)).toBeCloseTo(21 / 101);
});

test('the busiest lane is told from the mean one', () => {
  const lanes = [lived({ running: 90, starved: 10 }), lived({ runnable: 20, backpressured: 80 })];
  expect(busyOf(stateShares(lanes))).toBeCloseTo(0.55);
  expect(busiestShare(lanes)).toBeCloseTo(0.9);
});

test('a stage whose lanes follow each other is busy when they are', () => {
  const lanes = [lived({ running: 30 }), lived({ blocked: 70 })];
  expect(busiestShare(lanes)).toBeCloseTo(1);
});

test('without lanes nothing is busy', () => {
  expect([busyOf(stateShares([])), busiestShare([])]).toEqual([0, 0]);
});
