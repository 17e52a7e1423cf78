import { describe, expect, test } from 'vitest';
import { findingsOf } from '../../findings/judge.ts';
import { analyse, graphOf, operator, SECOND, type SteadyLane, states } from '../records.fixture.ts';

const flow = (id: string, elementsIn: number, elementsOut: number, cpu = 0): SteadyLane['perSecond'] => ({
  [`operator:${id}`]: { elementsIn, elementsOut, sampledElements: 10, sampledTime: cpu * SECOND, sampledSquares: 1e6 },
});

const lane = (
  name: string,
  stage: string,
  own: SteadyLane['perSecond'][string],
  operators: SteadyLane['perSecond'],
): SteadyLane => ({
  name,
  perSecond: { lane: own, [`stage:${stage}`]: { cpu: own?.running ?? 0, chunks: 10 }, ...operators },
});

/** Two sources, one filtered, joined, batched by ten: 10 batches per second. */
const graph = graphOf([
  operator('images', [], { kind: 'files', sequential: true }),
  operator('labels', [], { kind: 'lines', sequential: true }),
  operator('decode', ['images'], { parallelism: 2 }),
  operator('valid', ['labels'], { kind: 'filter' }),
  operator('zip', ['decode', 'valid'], { kind: 'zip', sequential: true }),
  operator('batch', ['zip'], { kind: 'batch', sequential: true }),
]);

const lanes: SteadyLane[] = [
  lane('images#0', 'images', { ...states(0.1), storageAsked: 5e6, storageRead: 1e6 }, flow('images', 0, 100, 0.1)),
  lane('labels#0', 'labels', states(0.05), flow('labels', 0, 200, 0.05)),
  lane('decode#0', 'decode', states(0.8, 0.1, 0, 0.1), flow('decode', 50, 50, 0.8)),
  lane('decode#1', 'decode', states(0.6, 0.1, 0, 0.3), flow('decode', 50, 50, 0.6)),
  lane('valid#0', 'valid', { ...states(0.2, 0, 0, 0.8), overhead: 0.05 * SECOND }, flow('valid', 200, 100, 0.2)),
  lane('zip#0', 'zip', states(0.1, 0, 0, 0.9), flow('zip', 200, 100, 0.1)),
  lane('batch#0', 'batch', states(0.02, 0, 0, 0.98), flow('batch', 100, 10, 0.02)),
  lane('consumer', 'consumer', states(0.1, 0, 0.2, 0.7), flow('consumer', 10, 0)),
  {
    name: 'host',
    perSecond: { process: { processCpu: 2.5e6 }, host: { hostCpuBusy: 3e6 } },
  },
];

const { rates } = analyse(graph, lanes, 20);
const find = (id: string) => {
  const found = rates.operators.find(each => each.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};

describe('operational analysis of a graph with two sources and a join', () => {
  test('visit ratios count from the root, whichever branch an operator is in', () => {
    expect(rates.ends).toEqual([{ operator: 'batch', counted: 'elementsOut' }]);
    expect(['batch', 'zip', 'decode', 'valid', 'labels'].map(id => Math.round(find(id).visitRatio))).toEqual([
      1, 10, 10, 10, 20,
    ]);
  });

  test('receiving is no work of the consumer, where it was recorded apart', () => {
    expect(rates.consumer).toMatchObject({ step: expect.closeTo(30e6, -3), overheadDemand: 0 });
    const apart = lanes.map(each =>
      each.name === 'consumer'
        ? lane(
            'consumer',
            'consumer',
            { ...states(0.1, 0, 0.2, 0.7), overhead: 0.08 * SECOND },
            flow('consumer', 10, 0),
          )
        : each,
    );
    const { consumer } = analyse(graph, apart, 20).rates;
    expect(consumer).toMatchObject({ step: expect.closeTo(22e6, -3), overheadDemand: expect.closeTo(0.008, 6) });
    expect(consumer?.stepDemand.estimate).toBeCloseTo(0.022, 6);
  });

  test('the rate is that of the root', () => {
    expect(rates.rate.estimate).toBeCloseTo(10, 3);
    expect(rates.rate.high - rates.rate.low).toBeLessThan(0.2);
  });

  test('CPU demand is core-seconds per root element, and its inverse the rate per core', () => {
    expect(find('decode').cpuDemand.estimate).toBeCloseTo(0.14, 4);
    expect(find('decode').resourceAccountedRate).toBeCloseTo(1 / 0.14, 2);
    expect(find('decode').cpuPerElement).toBeCloseTo(0.014, 4);
  });

  test('overhead is the stage’s and not its operators’', () => {
    expect(find('valid').cpuDemand.estimate).toBeCloseTo(0.015, 4);
    expect(rates.stages.find(({ id }) => id === 'valid')?.overheadDemand).toBeCloseTo(0.005, 5);
  });

  test('a stage’s ceiling is what its lanes could keep up, busy or asleep, without waiting', () => {
    expect(rates.stages.find(({ id }) => id === 'decode')?.ceiling).toBeCloseTo(2 / 0.14, 2);
  });

  test('storage counts per root element', () => {
    expect(rates.stages.find(({ id }) => id === 'images')?.askedDemand).toBeCloseTo(5e5, -1);
    expect(rates.storage.asked).toBeCloseTo(5e6, -2);
  });

  test('CPU that no lane accounts for is noticed, and so are other programs', () => {
    const inLanes = 0.1 + 0.05 + 0.8 + 0.6 + 0.2 + 0.1 + 0.02 + 0.1;
    expect(rates.cpu.outside).toBeCloseTo(2.5 - inLanes, 3);
    expect(rates.cpu.others).toBeCloseTo(0.5, 3);
    expect(rates.cpu.utilisation).toBeCloseTo(2.5 / 4, 3);
    expect(rates.outsideDemand).toBeCloseTo((2.5 - inLanes) / 10, 4);
  });

  test('the consumer’s wait and work per element', () => {
    expect(rates.consumer?.wait).toBeCloseTo(0.07 * SECOND, -3);
    expect(rates.consumer?.step).toBeCloseTo(0.03 * SECOND, -3);
  });
});

test('lanes say how busy their stage is by the time that they lived', () => {
  const busyOf = (last: number): number | undefined => {
    const ending = lane('decode#2', 'decode', { running: last * SECOND }, {});
    const stages = analyse(graph, [...lanes, ending], 20).rates.stages;
    return stages.find(({ id }) => id === 'decode')?.busy;
  };
  expect(busyOf(0)).toBeCloseTo(0.8, 5);
  expect(busyOf(0.01)).toBeCloseTo((0.9 + 0.7 + 0.01) / 2.01, 5);
  expect(busyOf(1)).toBeCloseTo((0.9 + 0.7 + 1) / 3, 5);
});

describe('how samples divide a stage', () => {
  /** CPU of `last`, which has kind `kind`, beside that of a map that takes 1 ms an element; `first`: what came before the steady part. */
  const divided = (kind: string, perSecond: number, first = 0) => {
    const operators = [operator('read', []), operator('crop', ['read']), operator('last', ['crop'], { kind })];
    const stages = [{ id: 'all', operators: operators.map(({ id }) => id), parallelism: 1 }];
    const timed = (elements: number) => ({
      elementsIn: 100,
      elementsOut: 100,
      sampledElements: elements,
      sampledTime: elements * 0.001 * SECOND,
      sampledSquares: 0,
    });
    const all: SteadyLane = {
      name: 'all#0',
      perSecond: {
        lane: states(0.5),
        'stage:all': { cpu: 0.5 * SECOND },
        'operator:read': { elementsIn: 100, elementsOut: 100 },
        'operator:crop': timed(10),
        'operator:last': timed(perSecond),
      },
      first: { 'operator:last': { sampledElements: 20, sampledTime: first * SECOND } },
    };
    const { rates, rows } = analyse({ ...graphOf(operators), channels: [], stages }, [all], 20);
    const ofLast = ({ id }: { readonly id: string }): boolean => id === 'last';
    return { demand: rates.operators.find(ofLast)?.cpuDemand.estimate, cpu: rows.operators.find(ofLast)?.cpuNs };
  };

  test('what only passes elements on takes nothing, whatever the clock says', () => {
    expect(divided('repeat', 10)).toEqual({ demand: 0, cpu: 0 });
  });

  test('those of the steady part count, and not those of code that was not compiled yet', () => {
    const flip = (first: number, perSecond: number) => divided('map', perSecond, first).demand;
    // As much as crop, from samples that came with it.
    expect(flip(10, 10)).toBeCloseTo(0.0025, 5);
    // Of too few nothing can be said: then all count, 20 of 3 ms among them.
    expect(flip(0.06, 0)).toBeCloseTo(0.00375, 5);
  });
});

test('a run that never yields anything has rates of zero and no NaN', () => {
  const empty = analyse(graphOf([operator('source', [])]), [lane('source#0', 'source', states(1), {})], 5);
  expect(empty.rates.rate.estimate).toBe(0);
  const values: unknown[] = [empty.rates];
  for (const value of values) if (typeof value === 'object' && value !== null) values.push(...Object.values(value));
  expect(values.filter(Number.isNaN)).toEqual([]);
});

describe('a graph with a sink beside what the consumer takes', () => {
  // Of 100 elements a second 80 enter the sink and 20 are left for the consumer.
  const parted = graphOf([
    operator('numbers', [], { kind: 'range', sequential: true }),
    operator('large', ['numbers'], { kind: 'filter' }),
    operator('store', ['numbers'], { kind: 'upload', sink: true, sequential: true }),
    operator('all', ['large', 'store'], { kind: 'merge', sequential: true }),
  ]);
  const its = (store: number): SteadyLane[] => [
    lane('numbers#0', 'numbers', states(0.1), flow('numbers', 0, 100, 0.1)),
    lane('large#0', 'large', states(0.2, 0, 0, 0.8), flow('large', 100, 20, 0.2)),
    lane('store#0', 'store', states(store, 0, 0, 1 - store), flow('store', 80, 0, store)),
    lane('all#0', 'all', states(0.1, 0, 0, 0.9), flow('all', 20, 20, 0.1)),
    lane('consumer', 'consumer', states(0.1, 0, 0.1, 0.8), flow('consumer', 20, 0)),
  ];

  test('is counted at both', () => {
    const { rates: both } = analyse(parted, its(0.5), 20);
    expect(both.rate.estimate).toBeCloseTo(100, 3);
    expect(both.operators.map(({ id, visitRatio }) => [id, Math.round(100 * visitRatio) / 100])).toEqual([
      ['numbers', 1],
      ['large', 0.2],
      ['store', 0.8],
      ['all', 0.2],
    ]);
    // By the elements it takes: 20 a second, in a fifth of its time.
    expect(both.consumer).toMatchObject({ step: expect.closeTo(10e6, -3), wait: expect.closeTo(40e6, -3) });
    expect(both.consumer?.visitRatio).toBeCloseTo(0.2, 6);
    expect(both.consumer?.stepDemand.estimate).toBeCloseTo(0.002, 6);
  });

  test('is counted at the sink alone where that is named', () => {
    const { rates: sunk } = analyse(parted, its(0.5), 20, { root: 'store' });
    expect([sunk.rate.estimate, sunk.consumer?.visitRatio]).toEqual([expect.closeTo(80, 3), expect.closeTo(0.25, 6)]);
  });

  test('names the sink where that is the narrow place', () => {
    const { verdict } = findingsOf(analyse(parted, its(0.98), 20));
    expect([verdict.kind, verdict.operators]).toEqual(['sequential-operator', ['store']]);
  });
});
