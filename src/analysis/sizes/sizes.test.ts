import { describe, expect, test } from 'vitest';
import type { Graph } from '../../model/graph.ts';
import { analyse, graphOf, operator, type SteadyLane, states } from '../records.fixture.ts';
import { exactly, product, sum } from './estimate.ts';
import { sourceRecords } from './source.ts';

const lane = (id: string, perSecond: SteadyLane['perSecond'][string]): SteadyLane => ({
  name: `${id}#0`,
  perSecond: { lane: states(0.5), [`stage:${id}`]: { cpu: 1 }, [`operator:${id}`]: perSecond },
});

/** Ten seconds of a run that was stopped, unless `completed`. */
function sizesOf(graph: Graph, lanes: readonly SteadyLane[], completed = false) {
  const { sizes } = analyse(graph, lanes, 10, { completed });
  return (id: string) => sizes.find(size => size.id === id);
}

const chain = graphOf([
  operator('lines', [], { kind: 'lines', sequential: true }),
  operator('words', ['lines'], { kind: 'flatMap' }),
  operator('short', ['words'], { kind: 'filter' }),
  operator('batch', ['short'], { kind: 'batch', sequential: true }),
]);
const lanes = [
  lane('lines', { elementsOut: 100, bytesOut: 5000, sourceDone: 20_000 }),
  lane('words', { elementsIn: 100, elementsOut: 800, bytesOut: 4000 }),
  lane('short', { elementsIn: 800, elementsOut: 600, bytesOut: 2400 }),
  lane('batch', { elementsIn: 600, elementsOut: 60, bytesOut: 2400 }),
];

describe('cardinality and size', () => {
  test('of a fifth of the source are scaled to all of it, and carried through what amplifies, filters and batches', () => {
    const at = sizesOf(chain, lanes);
    expect(at('lines')?.elements?.estimate).toBeCloseTo(5000, 0);
    expect(at('words')?.elements?.estimate).toBeCloseTo(40_000, 0);
    expect(at('short')?.elements?.estimate).toBeCloseTo(30_000, 0);
    expect(at('batch')?.elements?.estimate).toBeCloseTo(3000, 0);
    expect(at('words')?.bytes?.estimate).toBeCloseTo(200_000, -1);
  });

  test('of a run that went to its end are what was counted', () => {
    const at = sizesOf(chain, lanes, true);
    expect(at('lines')?.elements).toEqual(exactly(1000));
    expect(at('batch')?.bytes?.estimate).toBeCloseTo(24_000, 3);
    expect(at('batch')?.bytes?.high).toBeCloseTo(24_000, 3);
  });

  test('are unknown downstream of a source that does not know its length', () => {
    const [first, ...rest] = lanes;
    if (first === undefined) throw new Error('no lane');
    const at = sizesOf(chain, [lane('lines', { elementsOut: 100, bytesOut: 5000 }), ...rest]);
    expect(at('batch')?.elements).toBeUndefined();
  });

  test('repeat multiplies or makes endless, take cuts, skip shortens, a shuffle changes nothing', () => {
    const graph = graphOf([
      operator('range', [], { kind: 'range', sequential: true, settings: { count: 1000 } }),
      operator('skip', ['range'], { kind: 'skip', sequential: true, settings: { count: 200 } }),
      operator('shuffle', ['skip'], { kind: 'shuffle', sequential: true, settings: { buffer: 500 } }),
      operator('thrice', ['shuffle'], { kind: 'repeat', sequential: true, settings: { times: 3 } }),
      operator('forever', ['thrice'], { kind: 'repeat', sequential: true, settings: { times: 'forever' } }),
      operator('take', ['forever'], { kind: 'take', sequential: true, settings: { count: 70 } }),
    ]);
    const flow = { elementsIn: 5, elementsOut: 4 };
    const at = sizesOf(
      graph,
      graph.operators.map(({ id }) => lane(id, flow)),
    );
    const counts = ['range', 'skip', 'shuffle', 'thrice', 'forever', 'take'].map(id => at(id)?.elements?.estimate);
    expect(counts).toEqual([1000, 800, 800, 2400, Number.POSITIVE_INFINITY, 70]);
  });

  test('a zip ends with its shorter input, and a merge has both', () => {
    const sources = [
      operator('long', [], { kind: 'range', sequential: true, settings: { count: 900 } }),
      operator('short', [], { kind: 'range', sequential: true, settings: { count: 100 } }),
    ];
    const flows = [lane('long', { elementsOut: 50 }), lane('short', { elementsOut: 50 })];
    const join = (kind: string, flow: SteadyLane['perSecond'][string]) =>
      sizesOf(graphOf([...sources, operator('join', ['long', 'short'], { kind })]), [...flows, lane('join', flow)])(
        'join',
      )?.elements?.estimate;
    expect(join('zip', { elementsIn: 100, elementsOut: 50 })).toBe(100);
    expect(join('merge', { elementsIn: 100, elementsOut: 100 })).toBe(1000);
  });

  describe('behind a zip of two files that are read again and again', () => {
    const file = (id: string) => operator(id, [], { kind: 'lines', sequential: true });
    const repeated = graphOf([
      file('long'),
      file('short'),
      operator('zip', ['long', 'short'], { kind: 'zip' }),
      operator('map', ['zip']),
      operator('times', ['map'], { kind: 'repeat', sequential: true, settings: { times: 10 } }),
    ]);
    const flow = (id: string, elements: number, more = {}) =>
      lane(id, { elementsIn: elements, elementsOut: elements, bytesOut: elements, ...more });

    test('are those that left it, whatever the files have beyond that', () => {
      const lanes = ['long', 'short', 'zip', 'map', 'times'].map(id => flow(id, 50));
      const at = sizesOf(repeated, lanes, true);
      expect(at('map')?.elements).toMatchObject({ estimate: 50, low: 50, high: 50 });
      expect(at('map')?.bytes?.high).toBeLessThan(51);
      expect(at('long')?.elements?.high).toBe(Number.POSITIVE_INFINITY);
    });

    test('are told before the run is over, by the file that ends first', () => {
      // A quarter of all: two and a half passes of the short file; half of the third pass is a quarter of the long file.
      const lanes = [
        flow('long', 12.5, { sourceDone: 22_500 }),
        flow('short', 12.5, { sourceDone: 25_000 }),
        ...['zip', 'map', 'times'].map(id => flow(id, 12.5)),
      ];
      expect(sizesOf(repeated, lanes)('map')?.elements?.estimate).toBeCloseTo(50, 0);
      const idle = [flow('long', 0), flow('short', 0), ...['zip', 'map', 'times'].map(id => flow(id, 0))];
      expect(sizesOf(repeated, idle)('map')?.elements).toBeUndefined();
    });
  });

  test('where two read from one operator, each is asked what it got', () => {
    const graph = graphOf([
      operator('range', [], { kind: 'range', sequential: true, settings: { count: 1000 } }),
      operator('even', ['range']),
      operator('rest', ['range']),
    ]);
    const at = sizesOf(graph, [
      lane('range', { elementsOut: 100 }),
      lane('even', { elementsIn: 30, elementsOut: 30 }),
      lane('rest', { elementsIn: 70, elementsOut: 70 }),
    ]);
    expect(at('even')?.elements?.estimate).toBeCloseTo(300, 6);
    expect(at('rest')?.elements?.estimate).toBeCloseTo(700, 6);
  });
});

describe('passes', () => {
  const repeat = (id: string, input: string, times: number | 'forever') =>
    operator(id, [input], { kind: 'repeat', sequential: true, settings: { times } });
  const cache = (id: string, input: string) => operator(id, [input], { kind: 'cache', sequential: true });
  const source = operator('lines', [], { kind: 'lines', sequential: true });
  const flow = (id: string, elements: number) =>
    lane(id, { elementsIn: elements, elementsOut: elements, bytesOut: 10 * elements });
  const counts = (at: ReturnType<typeof sizesOf>, ...ids: string[]) => ids.map(id => at(id)?.elements?.estimate);

  test('of a source end at the first cache behind it, however often that is gone through', () => {
    const graph = graphOf([source, operator('parse', ['lines']), cache('kept', 'parse'), repeat('thrice', 'kept', 3)]);
    const its = [flow('lines', 100), flow('parse', 100), flow('kept', 300), flow('thrice', 300)];
    const at = sizesOf(graph, its, true);
    expect(at('lines')?.elements).toEqual(exactly(1000));
    expect(counts(at, 'parse', 'kept', 'thrice')).toEqual([1000, 1000, 3000]);
    expect(at('kept')?.bytes?.estimate).toBeCloseTo(10_000, 6);
    // Stopped while the cache is gone through: its source has been read to its end.
    const [, ...behind] = its;
    const done = lane('lines', { elementsOut: 100, bytesOut: 1000, sourceDone: 100_000 });
    expect(counts(sizesOf(graph, [done, ...behind]), 'lines', 'kept')).toEqual([
      expect.closeTo(1000, 6),
      expect.closeTo(1000, 6),
    ]);
  });

  test('multiply between repeats, and an endless one behind a cache does not matter before it', () => {
    const graph = graphOf([
      source,
      repeat('twice', 'lines', 2),
      cache('kept', 'twice'),
      repeat('thrice', 'kept', 3),
      repeat('forever', 'thrice', 'forever'),
    ]);
    const done = lane('lines', { elementsOut: 100, bytesOut: 1000, sourceDone: 100_000 });
    const at = sizesOf(graph, [done, ...['twice', 'kept', 'thrice', 'forever'].map(id => flow(id, 100))]);
    expect(counts(at, 'lines', 'twice', 'kept', 'thrice', 'forever')).toEqual([
      expect.closeTo(500, 6),
      expect.closeTo(1000, 6),
      expect.closeTo(1000, 6),
      expect.closeTo(3000, 6),
      Number.POSITIVE_INFINITY,
    ]);
  });

  test('of a cache that was found on disk are its own, and what nobody asked says nothing', () => {
    const graph = graphOf([source, operator('parse', ['lines']), cache('kept', 'parse'), repeat('thrice', 'kept', 3)]);
    const at = sizesOf(graph, [flow('lines', 0), flow('parse', 0), flow('kept', 300), flow('thrice', 300)], true);
    expect(counts(at, 'lines', 'parse', 'kept', 'thrice')).toEqual([undefined, undefined, 1000, 3000]);
  });

  test('that are cut again and again leave open how much there is', () => {
    const take = operator('take', ['lines'], { kind: 'take', sequential: true, settings: { count: 20 } });
    const graph = graphOf([source, take, repeat('thrice', 'take', 3)]);
    const at = sizesOf(graph, [flow('lines', 9), flow('take', 6), flow('thrice', 6)], true);
    expect(at('lines')?.elements).toMatchObject({ estimate: 30, low: 30, high: Number.POSITIVE_INFINITY });
    expect(at('take')?.elements).toMatchObject({ estimate: 20, high: 20 });
  });

  test('of a run that was resumed are not counted as if they were whole', () => {
    const { sizes } = analyse(
      graphOf([source, repeat('thrice', 'lines', 3)]),
      [flow('lines', 90), flow('thrice', 90)],
      10,
      {
        completed: true,
        resumed: true,
      },
    );
    expect(sizes.map(({ elements }) => elements)).toEqual([undefined, undefined]);
  });
});

test('records per byte of what was read give the records of all, however different the files', () => {
  const { estimate, low, high } = sourceRecords(
    1e6,
    [1e3, 1e4, 5e4].map(bytes => ({ bytes, records: bytes / 100 })),
    0.9,
  );
  expect([estimate, low, high].map(Math.round)).toEqual([1e4, 1e4, 1e4]);
});

test('all that there is leaves nothing to guess, in however many pieces it was read', () => {
  const tenths = Array.from({ length: 10 }, () => ({ bytes: 0.1, records: 1 }));
  expect(tenths.reduce((total, { bytes }) => total + bytes, 0)).toBeLessThan(1);
  expect(sourceRecords(1, tenths, 0.9)).toMatchObject({ low: expect.closeTo(10, 6), high: expect.closeTo(10, 6) });
  expect(sourceRecords(1, [{ bytes: 1 - 1e-12, records: 10 }], 0.9)).toMatchObject({ high: expect.closeTo(10, 6) });
});

test('errors of products and sums add as squares', () => {
  const a = { estimate: 100, low: 97, high: 103, confidence: 0.9 };
  const b = { estimate: 10, low: 9.6, high: 10.4, confidence: 0.9 };
  expect(product(a, b).high).toBeCloseTo(1050, 6);
  expect(sum([a, { estimate: 100, low: 96, high: 104, confidence: 0.9 }]).high).toBeCloseTo(205, 6);
  // What may be any amount more stays so.
  const open = { estimate: 5, low: 4, high: Number.POSITIVE_INFINITY, confidence: 0.9 };
  expect([sum([open]), sum([open, exactly(1)]), product(open, exactly(2))].map(({ low, high }) => [low, high])).toEqual(
    [
      [4, Number.POSITIVE_INFINITY],
      [5, Number.POSITIVE_INFINITY],
      [8, Number.POSITIVE_INFINITY],
    ],
  );
});
