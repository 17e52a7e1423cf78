import { expect, test } from 'vitest';
import { analyse, graphOf, operator, SECOND, states } from '../../analysis/records.fixture.ts';
import { cores, ns } from '../../model/units.ts';
import { ceilingConstraints } from './ceiling.ts';
import { costModelOf } from './recording.ts';
import type { WhatIf } from './resources.ts';

const PER_SECOND = 10;

const constraintsOf = (analysis: Parameters<typeof costModelOf>[0], whatIf: WhatIf) =>
  ceilingConstraints(costModelOf(analysis, whatIf));

test('handing elements on is in no ceiling: another arrangement may not have to', () => {
  const graph = graphOf([operator('decode', []), operator('crop', ['decode'])]);
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
  expect(1 / (found?.rate.estimate ?? 0)).toBeCloseTo(0.08, 6);
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
  const passed = (seconds: number) => ({
    elementsIn: PER_SECOND,
    elementsOut: PER_SECOND,
    sampledElements: PER_SECOND,
    sampledTime: seconds * SECOND,
  });
  const lane = {
    name: 'all#0',
    perSecond: {
      lane: states(0.02, 0, 0.98),
      'stage:all': { cpu: 0.02 * SECOND },
      'operator:queue': passed(0.99),
      'operator:shape': passed(0.01),
    },
  };
  const stages = [{ id: 'all', operators: ['queue', 'shape'], parallelism: 1 }];
  const analysis = analyse({ ...graph, channels: [], stages }, [lane], 20);
  const constraints = constraintsOf(analysis, { cores: cores(64) });
  const [tightest] = constraints;
  // One limit, not one with its waiting and one without.
  expect(constraints.filter(({ operator }) => operator === 'queue')).toHaveLength(1);
  expect(tightest).toMatchObject({ kind: 'sequential', operator: 'queue' });
  expect(tightest?.rate.estimate).toBeGreaterThanOrEqual(PER_SECOND);
  // What shape takes could be done in another thread.
  expect(tightest?.rate.estimate).toBeLessThan(1.05 * PER_SECOND);
});
