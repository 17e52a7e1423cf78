import { expect, test } from 'vitest';
import { engineRules } from '../../engine/compile/fusing.ts';
import type { Action } from '../../model/plan.ts';
import { operatorsOf } from '../../tuning/recorded.fixture.ts';
import { exactly } from './amount.ts';
import { arrange, NO_DEMANDS } from './arrangement.ts';
import { modelWith } from './costs.fixture.ts';
import { evaluate } from './evaluate.ts';
import type { CostModel, CostOperator } from './model.ts';

const rules = engineRules();
const CACHED: Action = { kind: 'cache', operator: 'decode', limit: 1e9 };
const TWO_LANES: Action = { kind: 'parallelism', operator: 'crop', to: 2 };

/** 9 ms of decoding and 1 ms of cropping, 5 ms outside the lanes of which 1 ms is the consumer's; so many bytes leave the operators, in as many typed arrays. */
function model(decoded: number, cropped: number, arrays = 1): CostModel {
  const demands: Readonly<Record<string, Partial<CostOperator>>> = {
    decode: { cpu: exactly(9e-3), bytes: decoded, arrays },
    crop: { cpu: exactly(1e-3), bytes: cropped, arrays },
  };
  const operators = operatorsOf([
    { id: 'source', kind: 'range', ms: 0 },
    { id: 'decode', ms: 9 },
    { id: 'crop', ms: 1 },
  ]).map((each): CostOperator => ({ ...each, ...NO_DEMANDS, visits: 1, ...demands[each.id] }));
  const outside = { estimate: 5e-3, low: 0, high: 5e-3 };
  return modelWith(operators, { outside, unaccounted: 4e-3 });
}

const outsideOf = (of: CostModel, ...actions: Action[]) => arrange(of, actions, { rules }).outside;

test('behind a cache the collector goes with the arrays that are written, those read out of the cache among them', () => {
  // 1 MB is read and 2 MB are written, of 3 MB before: nothing is spared, though a tenth of the CPU is left. The consumer has a tenth of its own.
  expect(outsideOf(model(1e6, 2e6), CACHED).estimate).toBeCloseTo(0.1e-3 + 4e-3, 9);
  // 1 MB is read and 1 MB written, of 4 MB before.
  const decoding = model(1e6, 1e6);
  const reading = {
    ...decoding,
    operators: decoding.operators.map(each => (each.id === 'source' ? { ...each, bytes: 2e6, arrays: 1 } : each)),
  };
  expect(outsideOf(reading, CACHED).estimate).toBeCloseTo(0.1e-3 + 2e-3, 9);
});

test('behind a cache it goes with the CPU where no typed arrays are written', () => {
  expect(outsideOf(model(1e6, 2e6, 0), CACHED).estimate).toBeCloseTo(0.5e-3, 9);
});

test('without idle operators it is what was recorded', () => {
  const recorded = { estimate: 5e-3, low: 0, high: 5e-3 };
  expect(outsideOf(model(1e6, 2e6))).toEqual(recorded);
  expect(outsideOf(model(1e6, 2e6), TWO_LANES)).toEqual(recorded);
});

test('all of it may stay behind a cache, and come as much more often as lanes have less memory each', () => {
  const [arrays, none] = [model(8e6, 1e6), model(8e6, 1e6, 0)];
  expect(outsideOf(none, CACHED).high).toBeCloseTo(0.1e-3 + 4e-3, 9);
  // One lane, and the consumer, as recorded: what is upstream of the cache is gone.
  expect(outsideOf(arrays, CACHED).high).toBeCloseTo(0.1e-3 + 4e-3, 9);
  // The cache's lane and two more: half as much memory for each as for one.
  expect(outsideOf(arrays, CACHED, TWO_LANES).high).toBeCloseTo(0.1e-3 + 8e-3, 9);
  const low = (...actions: Action[]) => evaluate(arrays, arrange(arrays, actions, { rules }), 'low').cpu;
  expect(low(CACHED, TWO_LANES)).toBeGreaterThan(low(CACHED) + 4e-3);
});
