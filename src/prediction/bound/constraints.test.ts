import { expect, test } from 'vitest';
import { analyse, graphOf, operator, SECOND, states } from '../../analysis/records.fixture.ts';
import { cores } from '../../model/units.ts';
import { constraintsOf } from './constraints.ts';

const PER_SECOND = 10;

/** Seconds of two cores that an element takes, of one thread that works for a fifth of the time and sleeps for `blocked` of it. */
function demand(blocked: number): number {
  const read = operator('read', [], { kind: 'range', sequential: false });
  const lanes = [
    {
      name: 'read#0',
      perSecond: {
        lane: states(0.2, 0, blocked),
        'stage:read': { cpu: 0.2 * SECOND },
        'operator:read': { elementsIn: PER_SECOND, elementsOut: PER_SECOND },
      },
    },
  ];
  const [tightest] = constraintsOf(analyse(graphOf([read]), lanes, 20, { root: 'read' }), { cores: cores(2) });
  return 2 / (tightest?.rate.estimate ?? 0);
}

test('what an operator takes is less where its thread would not sleep', () => {
  expect(demand(0)).toBeCloseTo(0.02, 4);
  // Half of the time: a tenth less.
  expect(demand(0.5)).toBeCloseTo(0.018, 4);
});
