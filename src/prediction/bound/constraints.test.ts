import { expect, test } from 'vitest';
import { analyse, graphOf, operator, SECOND, states } from '../../analysis/records.fixture.ts';
import { cores } from '../../model/units.ts';
import { constraintsOf } from './constraints.ts';

const PER_SECOND = 10;

/** CPU seconds that an element takes behind a cache of `read`, in a thread that worked for a fifth of the time and slept for `blocked` of it. */
function behindCache(blocked: number): number {
  const graph = graphOf([operator('read', [], { kind: 'range' }), operator('crop', ['read'])]);
  const half = {
    elementsIn: PER_SECOND,
    elementsOut: PER_SECOND,
    sampledElements: PER_SECOND,
    sampledTime: 0.1 * SECOND,
    sampledSquares: 0,
  };
  const lane = {
    name: 'all#0',
    perSecond: {
      lane: states(0.2, 0, blocked),
      'stage:all': { cpu: 0.2 * SECOND },
      'operator:read': half,
      'operator:crop': half,
    },
  };
  const stages = [{ id: 'all', operators: ['read', 'crop'], parallelism: 1 }];
  const analysis = analyse({ ...graph, channels: [], stages }, [lane], 20);
  const [tightest] = constraintsOf(analysis, { cores: cores(2) }, id => id !== 'read');
  return 2 / (tightest?.rate.estimate ?? 0);
}

test('behind a cache an operator takes less where its thread slept and would not any more', () => {
  expect(behindCache(0)).toBeCloseTo(0.01, 4);
  // Half of the time: a tenth less.
  expect(behindCache(0.5)).toBeCloseTo(0.009, 4);
});
