import { describe, expect, test } from 'vitest';
import { analyse, graphOf, operator, SECOND, type SteadyLane, states } from '../../analysis/records.fixture.ts';
import { cores } from '../../model/units.ts';
import { forecast } from './forecast.ts';

/** Ten elements a second through one thread that is always busy; what the yardstick took it, and what another beside it, ns. */
function recorded(within: number | undefined, beside: number | undefined) {
  const each = { elementsIn: 10, elementsOut: 10, sampledElements: 10, sampledSquares: 0 };
  const graph = graphOf([
    operator('read', [], { kind: 'range', sequential: true, settings: { count: 1000 } }),
    operator('decode', ['read']),
  ]);
  const all: SteadyLane = {
    name: 'all#0',
    perSecond: {
      lane: { ...states(1), ...(within === undefined ? {} : { yardsticks: 4, yardstickSpeed: 4 * (1e9 / within) }) },
      'stage:all': { cpu: SECOND },
      'operator:read': { ...each, sampledTime: 0.4 * SECOND },
      'operator:decode': { ...each, sampledTime: 0.6 * SECOND },
    },
  };
  const host: SteadyLane = {
    name: 'host',
    perSecond: { process: beside === undefined ? {} : { yardsticks: 2, yardstickSpeed: 2 * (1e9 / beside) } },
  };
  const stages = [{ id: 'all', operators: ['read', 'decode'], parallelism: 1 }];
  return analyse({ ...graph, channels: [], stages }, [all, host], 20);
}

/** Elements a second without what recording takes. */
const unrecorded = (within: number | undefined, beside: number | undefined, n: number): number =>
  forecast(recorded(within, beside), { cores: cores(n) }).rate.estimate;

/** The same with it. */
const rate = (within: number, beside: number | undefined, n: number): number => unrecorded(within, beside, n) / 1.02;

test('what our recorder took from the threads is given back', () => {
  expect(unrecorded(16e3, 16e3, 1)).toBeCloseTo(10.2, 1);
  expect(unrecorded(undefined, undefined, 1)).toBeCloseTo(10, 1);
});

describe('what one more busy thread takes from the others, or finds', () => {
  test('two cores are not twice one', () => {
    expect(rate(16e3, 16e3, 2)).toBeCloseTo(20, 1);
    // Of twice as long for the yardstick, a fifth is for the work of a pipeline.
    expect(rate(16e3, 32e3, 2)).toBeCloseTo(20 / 1.2, 1);
    // The threads of the recording were slow already: they lose less.
    expect(rate(32e3, 48e3, 2)).toBeCloseTo((20 * 1.2) / 1.4, 1);
  });

  test('a core that is not used takes nothing', () => {
    expect(rate(16e3, 32e3, 1)).toBeCloseTo(10, 1);
  });

  test('an operator that cannot be divided is slower, too, as far as others are busy beside it', () => {
    // It alone would reach 25 elements per second, with 1.5 cores more for the rest.
    expect(rate(16e3, 32e3, 64)).toBeCloseTo(25 / 1.2, 1);
  });

  test('a thread that was faster beside the others says that they had the slower cores', () => {
    expect(rate(32e3, 16e3, 2)).toBeCloseTo(20 * 1.2, 1);
    expect(rate(32e3, 16e3, 1)).toBeCloseTo(10, 1);
  });

  test('where nobody looked, nothing is taken to be lost', () => {
    expect(rate(32e3, undefined, 2)).toBeCloseTo(20, 1);
  });
});
