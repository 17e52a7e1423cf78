import { expect, test } from 'vitest';
import { analyse, graphOf, operator, SECOND, states } from '../../analysis/records.fixture.ts';
import { cores, ns } from '../../model/units.ts';
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

/** What an element takes behind a cache of `read`, s, where both took so long and `parts` of it arrived. */
function betweenOthers(read: number, crop: number, parts = 1): number {
  const graph = graphOf([operator('read', [], { kind: 'range' }), operator('crop', ['read'])]);
  const perSecond = 1 / (read + crop);
  const timed = (seconds: number, arriving: number, leaving: number) => ({
    elementsIn: arriving * perSecond,
    elementsOut: leaving * perSecond,
    sampledElements: arriving * perSecond,
    sampledTime: seconds * perSecond * SECOND,
    sampledSquares: 0,
  });
  const lane = {
    name: 'all#0',
    perSecond: {
      lane: states(1),
      'stage:all': { cpu: SECOND },
      'operator:read': timed(read, parts, parts),
      'operator:crop': timed(crop, parts, 1),
    },
  };
  const stages = [{ id: 'all', operators: ['read', 'crop'], parallelism: 1 }];
  const analysis = analyse({ ...graph, channels: [], stages }, [lane], 20);
  const [tightest] = constraintsOf(analysis, { cores: cores(1) }, id => id !== 'read');
  return 1 / (tightest?.rate.estimate ?? 0);
}

test('behind a cache an operator need not get going again after the work of others', () => {
  expect(betweenOthers(400e-6, 100e-6, 10)).toBeCloseTo(88e-6, 7);
  // But once for what arrives, and not where the others were quick.
  expect(betweenOthers(400e-6, 100e-6)).toBeCloseTo(94e-6, 7);
  expect(betweenOthers(2e-6, 100e-6)).toBeCloseTo(99.9e-6, 6);
  // Half of what it takes is its own, at the least.
  expect(betweenOthers(10e-3, 20e-6, 10)).toBeCloseTo(10e-6, 7);
});

test('behind a cache an operator takes less where its thread slept and would not any more', () => {
  expect(behindCache(0)).toBeCloseTo(0.01, 4);
  // Half of the time: a tenth less.
  expect(behindCache(0.5)).toBeCloseTo(0.009, 4);
});

/** What an element takes of the cores where two stages each spend a tenth of a core on handing ten of them on in a second; s. */
function inTwoStages(second: { readonly sequential: boolean }): number {
  const graph = graphOf([operator('decode', []), operator('crop', ['decode'], second)]);
  const lane = (id: string) => ({
    name: `${id}#0`,
    perSecond: {
      lane: { ...states(0.5, 0, 0, 0.5), overhead: 0.1 * SECOND },
      [`stage:${id}`]: { cpu: 0.5 * SECOND },
      [`operator:${id}`]: { elementsIn: PER_SECOND, elementsOut: PER_SECOND, bytesOut: 1e6 },
    },
  });
  const analysis = analyse(graph, [lane('decode'), lane('crop')], 20);
  const found = constraintsOf(analysis, { cores: cores(1) }).find(({ kind }) => kind === 'cores');
  return 1 / (found?.rate.estimate ?? 0);
}

test('what two stages take for handing elements to each other is spared where they could be one', () => {
  expect(inTwoStages({ sequential: true })).toBeCloseTo(0.1, 4);
  // All of the first one's tenth of a core, and half of the second one's: it hands them on, too.
  expect(inTwoStages({ sequential: false })).toBeCloseTo(0.085, 4);
});

test('a consumer that takes some of the elements, while others end in a sink, takes its step for those alone', () => {
  const graph = graphOf([
    operator('numbers', [], { kind: 'range' }),
    operator('store', ['numbers'], { kind: 'upload', sink: true }),
    operator('all', ['numbers', 'store'], { kind: 'merge' }),
  ]);
  const its = (id: string, elementsIn: number, elementsOut: number) => ({
    name: `${id}#0`,
    perSecond: {
      lane: states(0.1),
      [`stage:${id}`]: { cpu: 0.1 * SECOND },
      [`operator:${id}`]: { elementsIn, elementsOut },
    },
  });
  const lanes = [its('numbers', 0, 10), its('store', 10, 0), its('all', 10, 10), its('consumer', 10, 0)];
  const consumer = constraintsOf(analyse(graph, lanes, 20), { step: ns(SECOND) }).find(
    ({ kind }) => kind === 'consumer',
  );
  // One a second for it, and one a second into the sink beside it.
  expect([consumer?.rate.estimate, consumer?.supply]).toEqual([expect.closeTo(2, 6), expect.closeTo(1, 6)]);
});

test('what waits outside and sees all elements in order gives no more than it gave, with any number of cores', () => {
  const graph = graphOf([operator('queue', [], { kind: 'from', sequential: true }), operator('shape', ['queue'])]);
  const passed = { elementsIn: PER_SECOND, elementsOut: PER_SECOND };
  const lane = {
    name: 'all#0',
    perSecond: {
      lane: states(0.02, 0, 0.98),
      'stage:all': { cpu: 0.02 * SECOND },
      'operator:queue': passed,
      'operator:shape': passed,
    },
  };
  const stages = [{ id: 'all', operators: ['queue', 'shape'], parallelism: 1 }];
  const analysis = analyse({ ...graph, channels: [], stages }, [lane], 20);
  const [tightest] = constraintsOf(analysis, { cores: cores(64) });
  expect(tightest).toMatchObject({ kind: 'sequential', operator: 'queue' });
  expect(tightest?.rate.estimate).toBeCloseTo(PER_SECOND, 1);
});
