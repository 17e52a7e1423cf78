import { expect, test } from 'vitest';
import { onePhaseModel } from '../../prediction/scaleout/model.fixture.ts';
import { REQUEST } from '../../prediction/scaleout/request.ts';
import { affordableSteps } from './scaleout-basis.ts';

test('fewer steps are simulated where as many as usual would take too long, and never too few to count', () => {
  const profile = onePhaseModel(1, 1e6, [0.1, 0.12, 0.11]);
  const request = { ...REQUEST, workers: [1, 4], bandwidth: 1e9 };
  expect(affordableSteps(profile, request)).toBeUndefined();
  const [more = 0, fewer = 0, fewest] = [20_000, 10_000, 1].map(ops => affordableSteps(profile, request, ops));
  expect(more).toBeGreaterThan(fewer);
  expect(fewest).toBe(10);
});
