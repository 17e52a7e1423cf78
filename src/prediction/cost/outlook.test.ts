import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyse, graphOf, HOST, operator, SECOND, type SteadyLane, states } from '../../analysis/records.fixture.ts';
import { bytes, cores, ns } from '../../model/units.ts';
import { recorded as chain } from '../../tuning/recorded.fixture.ts';
import { MEASURED_HOST } from './costs.fixture.ts';
import { outlook } from './outlook.ts';
import type { WhatIf } from './resources.ts';

/** Ten elements per second through three operators; `cpu` in cores. */
function recorded(
  cpu: { read: number; decode: number; order: number },
  facts: Parameters<typeof analyse>[3] = {},
  others: readonly SteadyLane[] = [],
) {
  const lane = (id: string, running: number, more: SteadyLane['perSecond'][string] = {}): SteadyLane => ({
    name: `${id}#0`,
    perSecond: {
      lane: { ...states(running, 0, 0, 1 - running), ...more },
      [`stage:${id}`]: { cpu: running * SECOND, chunks: 10 },
      [`operator:${id}`]: { elementsIn: 10, elementsOut: 10, bytesOut: 1e6 },
    },
  });
  const graph = graphOf([
    operator('read', [], { kind: 'range', sequential: true, settings: { count: 1000 } }),
    operator('decode', ['read']),
    operator('order', ['decode'], { kind: 'window', sequential: true }),
  ]);
  const consumer: SteadyLane = {
    name: 'consumer',
    perSecond: {
      lane: states(0, 0, 0.001, 0.999),
      'stage:consumer': { cpu: 0 },
      'operator:consumer': { elementsIn: 10 },
    },
  };
  return analyse(
    graph,
    [
      lane('read', cpu.read, { storageAsked: 2e6 }),
      lane('decode', cpu.decode),
      lane('order', cpu.order),
      consumer,
      ...others,
    ],
    20,
    facts,
  );
}

const ceiling = (given: Parameters<typeof outlook>[0], whatIf: WhatIf = {}) => outlook(given, whatIf).ceiling;

const analysis = recorded({ read: 0.1, decode: 0.8, order: 0.1 });

describe('the ceiling', () => {
  test('is the cores by the CPU of an element, where nothing else is short', () => {
    const { rate, binding } = ceiling(analysis);
    expect(binding?.kind).toBe('cores');
    expect(rate.estimate).toBeCloseTo(4 / 0.1, 3);
  });

  test('is what an operator that cannot be divided allows, with cores enough', () => {
    const { rate, binding } = ceiling(analysis, { cores: cores(64) });
    expect(binding).toMatchObject({ kind: 'sequential' });
    expect(rate.estimate).toBeCloseTo(1 / 0.01, 3);
  });

  test('is that of the cores which other programs leave', () => {
    const beside = (others: number) =>
      recorded({ read: 0.1, decode: 0.8, order: 0.1 }, {}, [
        {
          name: 'host',
          perSecond: { process: { processCpu: 1e6 }, host: { hostCpuBusy: (1 + others) * 1e6 } },
        },
      ]);
    expect(ceiling(beside(2.5))).toMatchObject({ binding: { kind: 'cores', supply: 1.5 } });
    expect(ceiling(beside(2.5)).rate.estimate).toBeCloseTo(1.5 / 0.1, 3);
    // Who asks for cores is told of those.
    expect(ceiling(beside(2.5), { cores: cores(4) }).rate.estimate).toBeCloseTo(4 / 0.1, 3);
  });

  test('is none where its interval is wider than three times, nor is anything that rests on it', () => {
    const { totalDemand } = analysis.rates;
    const within = (part: number) => ({
      ...analysis,
      rates: {
        ...analysis.rates,
        totalDemand: { ...totalDemand, low: totalDemand.estimate / part, high: totalDemand.estimate * part },
      },
    });
    expect(ceiling(within(1.4)).rate.estimate).toBeCloseTo(4 / 0.1, 3);
    const { rate, ...rest } = ceiling(within(1.8));
    expect(rate.estimate).toBeNaN();
    expect(rate.high).toBeGreaterThan(3 * rate.low);
    expect(rest).toMatchObject({ binding: undefined, prices: [], lanes: [], caches: [] });
  });

  test('is as many calls at once as were seen, by what each takes: no promise beyond, and no lanes for it', () => {
    const waiting = chain([
      { id: 'range', kind: 'range', ms: 0.01 },
      { id: 'enrich', ms: 0.05, asleep: 1.25, call: 20, more: { concurrency: 16, parallelism: 1 } },
    ]);
    const { rate, binding, lanes, prices } = ceiling(waiting);
    expect(binding).toMatchObject({ kind: 'calls', operator: 'enrich', supply: 16 });
    // Little's law: 16 under way at 20 ms each.
    expect(rate.estimate).toBeCloseTo(16 / 0.02, 3);
    expect(ceiling(waiting, { cores: cores(64) }).rate.estimate).toBeCloseTo(16 / 0.02, 3);
    expect(lanes.map(({ wanted }) => wanted)).toEqual([1, 1]);
    expect(outlook(waiting).assumptions).toContain('service-answers');
    expect(prices.every(({ worth }) => worth === 0)).toBe(true);
  });

  test('is what storage delivers, and what the consumer takes', () => {
    const disk = { points: [{ readers: 1, bytesPerSecond: 4e6 }], cold: true };
    expect(ceiling(analysis, { disk })).toMatchObject({ binding: { kind: 'storage' } });
    expect(ceiling(analysis, { disk }).rate.estimate).toBeCloseTo(20, 3);
    const slow = ceiling(analysis, { step: ns(0.1 * SECOND) });
    expect(slow.binding?.kind).toBe('consumer');
    expect(slow.rate.estimate).toBeCloseTo(10, 6);
  });

  test('never exceeds any of its constraints, and meets one', () => {
    const figure = fc.double({ min: 0.01, max: 0.9, noNaN: true });
    fc.assert(
      fc.property(figure, figure, figure, fc.integer({ min: 1, max: 64 }), (read, decode, order, n) => {
        const { rate, constraints, binding } = ceiling(recorded({ read, decode, order }), { cores: cores(n) });
        for (const constraint of constraints) {
          expect(rate.estimate).toBeLessThanOrEqual(constraint.rate.estimate * (1 + 1e-9));
        }
        expect(rate.estimate).toBe(binding?.rate.estimate);
        // The linear program, by hand: lanes for that rate fit into the cores.
        const wanted = (read + decode + order) / 10;
        expect(rate.estimate * wanted).toBeLessThanOrEqual(n * (1 + 1e-6));
        expect(rate.estimate * Math.max(read, order)).toBeLessThanOrEqual(10 * (1 + 1e-6));
      }),
      { numRuns: 30 },
    );
  });
});

describe('shadow prices', () => {
  test('one more core is worth what it brings', () => {
    const [price] = ceiling(analysis).prices;
    const more = ceiling(analysis, { cores: cores(5) }).rate.estimate - ceiling(analysis).rate.estimate;
    expect(price).toMatchObject({ kind: 'cores' });
    expect(price?.worth).toBeCloseTo(more, 6);
    expect(price?.until).toBeCloseTo(6, 6);
  });

  test('what is not short has no price', () => {
    const { prices } = ceiling(analysis, { cores: cores(64), step: ns(1e6) });
    expect(prices.find(({ kind }) => kind === 'cores')?.worth).toBe(0);
  });

  test('a millisecond less of a binding step is worth what it brings', () => {
    const slow = ceiling(analysis, { step: ns(100e6) });
    const faster = ceiling(analysis, { step: ns(99e6) });
    expect(slow.prices.find(({ kind }) => kind === 'consumer')?.worth).toBeCloseTo(
      faster.rate.estimate - slow.rate.estimate,
      9,
    );
  });
});

/** Of ten elements in a second: all were timed, this many seconds together; bytes of each. */
const timed = (seconds: number, bytesEach = 8) => ({
  elementsIn: 10,
  elementsOut: 10,
  sampledElements: 10,
  sampledTime: seconds * SECOND,
  bytesOut: 10 * bytesEach,
});

/** A source and two operators in one stage that is always busy; CPU seconds in a second, and beside all lanes. */
function inOneThread({
  decode,
  crop,
  outside = 0,
  kind = 'map',
}: {
  decode: number;
  crop: number;
  outside?: number;
  kind?: string;
}) {
  const members = [
    operator('read', [], { kind: 'range', sequential: true, settings: { count: 1000 } }),
    operator('decode', ['read']),
    operator('crop', ['decode'], { kind, sequential: kind !== 'map', settings: {} }),
  ];
  const stages = [{ id: 'all', operators: members.map(({ id }) => id), parallelism: 1 }];
  const all: SteadyLane = {
    name: 'all#0',
    perSecond: {
      lane: states(1),
      'stage:all': { cpu: SECOND },
      process: { processCpu: (1 + outside) * 1e6 },
      'operator:read': timed(0),
      'operator:decode': timed(decode),
      'operator:crop': timed(crop),
    },
  };
  return analyse({ ...graphOf(members), channels: [], stages }, [all], 20);
}

describe('lanes and caches', () => {
  test('every stage is told how many lanes the rate needs, fewer too', () => {
    const { lanes } = ceiling(analysis);
    expect(lanes.map(({ operators, wanted }) => [operators[0], wanted])).toEqual([
      ['read', 1],
      ['decode', 4],
      ['order', 1],
    ]);
  });

  test('of a stage that mixes both, only what can be divided gets more', () => {
    const members = [
      operator('read', [], { kind: 'range', sequential: true, settings: { count: 1000 } }),
      operator('decode', ['read']),
    ];
    const graph = { ...graphOf(members), stages: [{ id: 'all', operators: ['read', 'decode'], parallelism: 1 }] };
    const all: SteadyLane = {
      name: 'all#0',
      perSecond: {
        lane: states(1),
        'stage:all': { cpu: SECOND },
        'operator:read': timed(0.1),
        'operator:decode': timed(0.9),
      },
    };
    // 40/s on 4 cores: 3.6 lanes of decode, planned to be busy 85 % of the time.
    expect(ceiling(analyse(graph, [all], 20)).lanes).toMatchObject([
      { operators: ['decode'], main: 'decode', wanted: 5 },
    ]);
  });

  test('keeping what is costly to make spares everything upstream of it', () => {
    const [best] = ceiling(analysis, { memory: bytes(1e9) }).caches;
    // 1,000 elements of 100 kB.
    expect(best).toMatchObject({ operator: 'order', bytes: { estimate: 1e8 } });
    expect(best?.rate.estimate).toBeGreaterThan(100);
    // Nobody vouches for the function of decode.
    expect(best?.certain).toBe(false);
    expect(outlook(analysis).assumptions).toContain('same-elements');
  });

  test('nothing is kept behind which nobody would count any more', () => {
    const its = inOneThread({ decode: 0.6, crop: 0.2 });
    expect(ceiling(its).caches.map(({ operator: at }) => at)).toContain('decode');
    const counting = (ends: typeof its.rates.ends) => ({ ...its, rates: { ...its.rates, ends } });
    const places = (ends: typeof its.rates.ends) => ceiling(counting(ends)).caches.map(({ operator: at }) => at);
    // Elements of an operator that was named, and those that come to one that gathers them.
    expect(places([{ operator: 'decode', counted: 'elementsOut' }])).toEqual([]);
    expect(places([{ operator: 'decode', counted: 'elementsIn' }])).toEqual([]);
    expect(places([{ operator: 'crop', counted: 'elementsIn' }])).toEqual(['decode']);
  });

  test('behind a cache it is what the rest takes, also of threads outside the lanes', () => {
    const kept = (outside: number) =>
      ceiling(inOneThread({ decode: 0.8, crop: 0.2, outside }), { cores: cores(2) }).caches.find(
        ({ operator: id }) => id === 'decode',
      );
    // 20 ms of crop on two cores; half a core beside it, of which crop has a fifth.
    expect(kept(0)?.rate.estimate).toBeCloseTo(100, 0);
    expect((kept(0)?.rate.estimate ?? 0) / (kept(0.5)?.rate.estimate ?? 0)).toBeCloseTo(1.5, 1);
    // That part of it may be for no element at all.
    expect(kept(0.5)?.rate.high).toBeGreaterThanOrEqual(100);
  });

  test('behind a cache, what only moves elements about may take nothing', () => {
    const kept = (kind: string) =>
      ceiling(inOneThread({ decode: 0.9, crop: 0.1, kind }), { cores: cores(1) }).caches.find(
        ({ operator: id }) => id === 'decode',
      );
    expect(kept('window')?.rate.high).toBeLessThan(200);
    expect(kept('batch')?.rate.high).toBe(Number.POSITIVE_INFINITY);
  });

  test('a source that could be read in parts does not limit it', () => {
    const read = (divisible: boolean) =>
      ceiling(
        chain([
          { id: 'lines', kind: 'lines', ms: 10, more: divisible ? { divisible } : {} },
          { id: 'parse', ms: 1 },
        ]),
      ).binding?.kind;
    expect([read(false), read(true)]).toEqual(['sequential', 'cores']);
  });

  test('what does not fit is not kept', () => {
    expect(ceiling(analysis, { memory: bytes(9e7) }).caches).toEqual([]);
  });

  test.each([
    ['a shuffle', { kind: 'shuffle', settings: { buffer: 10 } }],
    ["what is told its element's number and pass", { kind: 'pack', context: true }],
  ])('nothing at or behind %s is kept', (_, facts) => {
    const graph = graphOf([
      operator('read', [], { kind: 'range', sequential: true, settings: { count: 1000 } }),
      operator('between', ['read'], { sequential: true, ...facts }),
      operator('decode', ['between']),
    ]);
    const lane = (id: string): SteadyLane => ({
      name: `${id}#0`,
      perSecond: {
        lane: states(id === 'between' ? 0.01 : 0.5),
        [`stage:${id}`]: { cpu: 0.5 * SECOND },
        [`operator:${id}`]: { elementsIn: 10, elementsOut: 10, bytesOut: 1e4 },
      },
    });
    const { caches } = ceiling(analyse(graph, ['read', 'between', 'decode'].map(lane), 20));
    expect(caches.map(({ operator: id }) => id)).toEqual(['read']);
  });
});

describe('the forecast', () => {
  const slow = (host: typeof HOST) =>
    chain(
      [
        { id: 'source', kind: 'range', ms: 0.01 },
        { id: 'work', ms: 2 },
        { id: 'last', kind: 'window', ms: 0.5 },
      ],
      host,
    );

  test('is of the lanes that the ceiling needs, and below it by what handing on costs', () => {
    const { ceiling: most, forecast } = outlook(slow(MEASURED_HOST));
    expect(forecast.doubts).toEqual([]);
    expect(forecast.rate.estimate).toBeLessThanOrEqual(most.rate.estimate);
    expect(forecast.rate.estimate).toBeGreaterThan(0.9 * most.rate.estimate);
  });

  test('is none without costs of the machine, while the ceiling stands', () => {
    const { ceiling: most, forecast, assumptions } = outlook(slow(HOST));
    expect(forecast).toMatchObject({ rate: { estimate: Number.NaN }, doubts: [{ kind: 'costs-unmeasured' }] });
    expect(most.rate).toEqual(outlook(slow(MEASURED_HOST)).ceiling.rate);
    expect(assumptions).toContain('lanes-scale');
  });
});

test('functions that take less than handing their elements on are not known to take as long elsewhere', () => {
  const { rates } = analysis;
  const handing = (share: number) => ({
    ...analysis,
    rates: {
      ...rates,
      stages: rates.stages.map(stage => ({ ...stage, overheadDemand: share * stage.cpuDemand.estimate })),
    },
  });
  expect(outlook(handing(0.6)).assumptions).toContain('tiny-elements');
  expect(outlook(handing(0.4)).assumptions).not.toContain('tiny-elements');
});

test('files that came out of the page cache are taken to do so again', () => {
  expect(outlook(analysis).assumptions).toContain('page-cache');
});
