import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyse, graphOf, HOST, operator, SECOND, type SteadyLane, states } from '../../analysis/records.fixture.ts';
import { bytes, cores, ns } from '../../model/units.ts';
import { recorded as chain } from '../../tuning/recorded.fixture.ts';
import { forecast } from './forecast.ts';

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

const analysis = recorded({ read: 0.1, decode: 0.8, order: 0.1 });

describe('the bound', () => {
  test('is the cores by the CPU of an element, where nothing else is short', () => {
    const { rate, binding } = forecast(analysis);
    expect(binding?.kind).toBe('cores');
    expect(rate.estimate).toBeCloseTo(4 / 0.1, 3);
  });

  test('is what an operator that cannot be divided allows, with cores enough', () => {
    const { rate, binding } = forecast(analysis, { cores: cores(64) });
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
    expect(forecast(beside(2.5))).toMatchObject({ binding: { kind: 'cores', supply: 1.5 } });
    expect(forecast(beside(2.5)).rate.estimate).toBeCloseTo(1.5 / 0.1, 3);
    // Who asks for cores is told of those.
    expect(forecast(beside(2.5), { cores: cores(4) }).rate.estimate).toBeCloseTo(4 / 0.1, 3);
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
    expect(forecast(within(1.6)).rate.estimate).toBeCloseTo(4 / 0.1, 3);
    const { rate, ...rest } = forecast(within(1.8));
    expect(rate.estimate).toBeNaN();
    expect([rate.low, rate.high]).toEqual([expect.closeTo((0.985 * 40) / 1.8), expect.closeTo(40 * 1.8)]);
    expect(rest).toMatchObject({ binding: undefined, prices: [], lanes: [], caches: [] });
  });

  test('is as many calls at once as were seen, by what each takes: no promise beyond, and no lanes for it', () => {
    const waiting = chain([
      { id: 'range', kind: 'range', ms: 0.01 },
      { id: 'enrich', ms: 0.05, asleep: 1.25, call: 20, more: { concurrency: 16, parallelism: 1 } },
    ]);
    const { rate, binding, lanes, assumptions, prices } = forecast(waiting);
    expect(binding).toMatchObject({ kind: 'calls', operator: 'enrich', supply: 16 });
    // Little's law: 16 under way at 20 ms each.
    expect(rate.estimate).toBeCloseTo(16 / 0.02, 3);
    expect(forecast(waiting, { cores: cores(64) }).rate.estimate).toBeCloseTo(16 / 0.02, 3);
    expect(lanes.map(({ wanted }) => wanted)).toEqual([1, 1]);
    expect(assumptions).toContain('service-answers');
    expect(prices.every(({ worth }) => worth === 0)).toBe(true);
  });

  test('is what storage delivers, and what the consumer takes', () => {
    const disk = { points: [{ readers: 1, bytesPerSecond: 4e6 }], cold: true };
    expect(forecast(analysis, { disk })).toMatchObject({ binding: { kind: 'storage' } });
    expect(forecast(analysis, { disk }).rate.estimate).toBeCloseTo(20, 3);
    const slow = forecast(analysis, { step: ns(0.1 * SECOND) });
    expect(slow.binding?.kind).toBe('consumer');
    expect(slow.rate.estimate).toBeCloseTo(10, 6);
  });

  test('never exceeds any of its constraints, and meets one', () => {
    const figure = fc.double({ min: 0.01, max: 0.9, noNaN: true });
    fc.assert(
      fc.property(figure, figure, figure, fc.integer({ min: 1, max: 64 }), (read, decode, order, n) => {
        const { rate, constraints, binding } = forecast(recorded({ read, decode, order }), { cores: cores(n) });
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
    const [price] = forecast(analysis).prices;
    const more = forecast(analysis, { cores: cores(5) }).rate.estimate - forecast(analysis).rate.estimate;
    expect(price).toMatchObject({ kind: 'cores' });
    expect(price?.worth).toBeCloseTo(more, 6);
    expect(price?.until).toBeCloseTo(6, 6);
  });

  test('what is not short has no price', () => {
    const { prices } = forecast(analysis, { cores: cores(64), step: ns(1e6) });
    expect(prices.find(({ kind }) => kind === 'cores')?.worth).toBe(0);
  });

  test('a millisecond less of a binding step is worth what it brings', () => {
    const slow = forecast(analysis, { step: ns(100e6) });
    const faster = forecast(analysis, { step: ns(99e6) });
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

/** A source and what follows it, in one stage. */
function inOneThread(...ids: readonly string[]) {
  const members = [
    operator('read', [], { kind: 'range', sequential: true, settings: { count: 1000 } }),
    ...ids.map((id, at) => operator(id, [ids[at - 1] ?? 'read'])),
  ];
  return {
    ...graphOf(members),
    stages: [{ id: 'all', operators: members.map(({ id }) => id), parallelism: 1 }],
  };
}

describe('lanes and caches', () => {
  test('every stage is told how many lanes the rate needs, fewer too', () => {
    const { lanes } = forecast(analysis);
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
    expect(forecast(analyse(graph, [all], 20)).lanes).toMatchObject([
      { operators: ['decode'], main: 'decode', wanted: 5 },
    ]);
  });

  test('keeping what is costly to make spares everything upstream of it', () => {
    const [best] = forecast(analysis, { memory: bytes(1e9) }).caches;
    // 1,000 elements of 100 kB.
    expect(best).toMatchObject({ operator: 'order', bytes: { estimate: 1e8 } });
    expect(best?.rate.estimate).toBeGreaterThan(100);
    // Nobody vouches for the function of decode.
    expect(best?.certain).toBe(false);
    expect(forecast(analysis).assumptions).toContain('same-elements');
  });

  test('what follows a cache shares its one thread, or has elements handed to it, whichever is faster', () => {
    const graph = inOneThread('decode', 'crop');
    const behind = (each: number, on: number) => {
      const all: SteadyLane = {
        name: 'all#0',
        perSecond: {
          lane: states(1),
          'stage:all': { cpu: SECOND },
          'operator:read': timed(0, each),
          'operator:decode': timed(0.8, each),
          'operator:crop': timed(0.2, each),
        },
      };
      const { caches } = forecast(analyse(graph, [all], 20), { memory: bytes(1e15), cores: cores(on) });
      return caches.find(({ operator: id }) => id === 'decode');
    };
    // 20 ms of crop: four cores do 200 a second, one thread 50.
    expect(behind(1e3, 4)).toMatchObject({ binding: { kind: 'cores' } });
    expect(behind(1e3, 4)?.rate.estimate).toBeGreaterThan(190);
    // Elements of 20 MB, and little more than a core: handing them on would take 10 ms, taking them out and looking at them takes 6.6.
    expect(behind(2e7, 1.2)).toMatchObject({ binding: { kind: 'sequential', operator: 'decode' } });
    expect(behind(2e7, 1.2)?.rate.estimate).toBeCloseTo(1 / 0.0266, 0);
  });

  test('what follows a cache may share its thread for a while, until elements are small enough to be handed on', () => {
    const graph = inOneThread('decode', 'crop', 'normalise');
    const all: SteadyLane = {
      name: 'all#0',
      perSecond: {
        lane: states(1),
        'stage:all': { cpu: SECOND },
        'operator:read': timed(0, 8),
        'operator:decode': timed(0.8, 50e6),
        'operator:crop': timed(0.05, 1000),
        'operator:normalise': timed(0.15, 1000),
      },
    };
    const { caches } = forecast(analyse(graph, [all], 20), { memory: bytes(1e15), cores: cores(4) });
    const kept = caches.find(({ operator: id }) => id === 'decode');
    // 12.5 ms to take 50 MB out, 4 to look at them, 5 for crop: handing them on would take 12.5, twice; one thread for all 36.5.
    expect(kept?.rate.estimate).toBeCloseTo(1 / 0.0215, 0);
    expect(kept).toMatchObject({ binding: { kind: 'sequential', operator: 'decode' } });
  });

  test('a cache spares what threads outside the lanes did for those it makes idle', () => {
    const fused = (outside: number) => {
      const graph = inOneThread('decode', 'crop');
      const all: SteadyLane = {
        name: 'all#0',
        perSecond: {
          lane: states(1),
          'stage:all': { cpu: SECOND },
          process: { processCpu: (1 + outside) * 1e6 },
          'operator:read': timed(0),
          'operator:decode': timed(0.8),
          'operator:crop': timed(0.2),
        },
      };
      const analysed = analyse(graph, [all], 20);
      return forecast(analysed, { memory: bytes(1e15), cores: cores(2) });
    };
    const [without, beside] = [fused(0), fused(0.5)];
    // All of them: half a core more. Behind a cache a fifth of it.
    expect(without.rate.estimate / beside.rate.estimate).toBeCloseTo(1.5, 1);
    const cached = ({ caches }: typeof without): number =>
      caches.find(({ operator: id }) => id === 'decode')?.rate.estimate ?? 0;
    expect(cached(without) / cached(beside)).toBeCloseTo(1.5, 1);
  });

  test('typed arrays that come out of a cache take memory of their own, and the collector their time', () => {
    const kept = (arraysOut: number, yardstick = 16e3) => {
      const all: SteadyLane = {
        name: 'all#0',
        perSecond: {
          lane: { ...states(1), yardsticks: 4, yardstickSpeed: 4 * (1e9 / yardstick) },
          'stage:all': { cpu: SECOND },
          'operator:read': timed(0),
          'operator:decode': { ...timed(0.99), arraysOut },
          'operator:crop': timed(0.01),
        },
      };
      const analysed = analyse(inOneThread('decode', 'crop'), [all], 20);
      const { caches } = forecast(analysed, { memory: bytes(1e15), cores: cores(1) });
      return caches.find(({ operator: id }) => id === 'decode')?.rate.estimate ?? 0;
    };
    // A thousand in each element: 0.3 ms to take them out, 0.04 of the collector's threads.
    expect(1 / kept(10_000) - 1 / kept(0)).toBeCloseTo(0.34e-3, 6);
    // A processor of half the speed takes longer for that, though not twice as long: memory is as fast.
    expect(1 / kept(10_000, 32e3) - 1 / kept(0, 32e3)).toBeCloseTo(1.6 * 0.34e-3, 6);
  });

  test('behind a cache, what only moves elements about is taken to cost next to nothing', () => {
    const kept = (kind: string) => {
      const members = [
        operator('read', [], { kind: 'range', sequential: true, settings: { count: 1000 } }),
        operator('decode', ['read']),
        operator('last', ['decode'], { kind, sequential: true, settings: {} }),
      ];
      const ids = members.map(({ id }) => id);
      const graph = { ...graphOf(members), channels: [], stages: [{ id: 'all', operators: ids, parallelism: 1 }] };
      const all: SteadyLane = {
        name: 'all#0',
        perSecond: {
          lane: states(1),
          'stage:all': { cpu: SECOND },
          'operator:read': timed(0),
          'operator:decode': timed(0.9),
          'operator:last': timed(0.1),
        },
      };
      const { caches } = forecast(analyse(graph, [all], 20), { memory: bytes(1e15), cores: cores(1) });
      return caches.find(({ operator: id }) => id === 'decode')?.rate.estimate ?? 0;
    };
    expect(kept('window')).toBeCloseTo(100, 0);
    // 10 ms for one element were the clock's, or the machine's: it takes 80 ns, and as much to take it out.
    expect(1 / kept('batch')).toBeLessThan(200e-9);
  });

  test('what is handed to the consumer still is when everything before it is kept', () => {
    const graph = inOneThread('decode', 'crop');
    const channel = { id: 'out', from: 'crop', to: 'consumer', slots: 4, capacity: 1e6 };
    const all: SteadyLane = {
      name: 'all#0',
      perSecond: {
        lane: { ...states(1), overhead: 0.5 * SECOND },
        'stage:all': { cpu: SECOND },
        'operator:read': timed(0),
        'operator:decode': timed(0.49),
        'operator:crop': timed(0.01, 1e8),
      },
    };
    const { caches } = forecast(analyse({ ...graph, channels: [channel] }, [all], 20), {
      memory: bytes(1e15),
      cores: cores(1),
    });
    // 1 ms of crop and 50 ms for handing on, of 100; half of that is reckoned, and not all of the rest believed.
    expect(caches.find(({ operator: id }) => id === 'decode')?.rate.estimate).toBeCloseTo(1 / 0.0475, 0);
  });

  test('handing on behind a cache takes what it took, and what is reckoned for it at most', () => {
    const kept = (overhead: number) => {
      const channel = { id: 'out', from: 'crop', to: 'consumer', slots: 4, capacity: 1e6 };
      const all: SteadyLane = {
        name: 'all#0',
        perSecond: {
          lane: { ...states(0.05 + overhead), overhead: overhead * SECOND },
          'stage:all': { cpu: (0.05 + overhead) * SECOND },
          'operator:read': timed(0),
          'operator:decode': timed(0.04),
          'operator:crop': timed(0.01, 1e6),
        },
      };
      const analysed = analyse({ ...inOneThread('decode', 'crop'), channels: [channel] }, [all], 20);
      const { caches } = forecast(analysed, { memory: bytes(1e15), cores: cores(1) });
      return caches.find(({ operator: id }) => id === 'decode')?.rate.estimate ?? 0;
    };
    // 1 ms of crop; 0.25 ms are reckoned for a megabyte, of 15 ms for handing it on no more than 0.6 are believed, and 0.2 as they are.
    expect(1 / kept(0.15)).toBeCloseTo(1.6e-3, 4);
    expect(1 / kept(0.002)).toBeCloseTo(1.2e-3, 4);
  });

  test('what the main thread does when nothing flows is charged to no element', () => {
    const beside = (running: number) => {
      const lanes: SteadyLane[] = [
        {
          name: 'all#0',
          perSecond: { lane: states(0.1), 'stage:all': { cpu: 0.1 * SECOND }, 'operator:read': timed(0.1) },
        },
        { name: 'consumer', perSecond: { lane: states(running), 'operator:consumer': { elementsIn: 10 } } },
      ];
      return 1 / forecast(analyse(inOneThread(), lanes, 20), { cores: cores(1), step: ns(1) }).rate.estimate;
    };
    // 8 µs are charged to each even then.
    expect(beside(0.005)).toBeCloseTo(10.008e-3, 6);
    expect(beside(0.05)).toBeCloseTo(14e-3, 6);
  });

  test('dividing what stands before an operator that sees all in order takes a channel', () => {
    const bound = (bytesOut: number) => {
      const members = [
        operator('read', [], { kind: 'range', sequential: true, settings: { count: 1000 } }),
        operator('decode', ['read']),
        operator('batch', ['decode'], { kind: 'batch', sequential: true, settings: { size: 1 } }),
      ];
      const ids = members.map(({ id }) => id);
      const graph = { ...graphOf(members), channels: [], stages: [{ id: 'all', operators: ids, parallelism: 1 }] };
      const all: SteadyLane = {
        name: 'all#0',
        perSecond: {
          lane: states(1),
          'stage:all': { cpu: SECOND },
          'operator:read': timed(0),
          'operator:decode': { ...timed(0.99), bytesOut },
          'operator:batch': timed(0.01),
        },
      };
      return forecast(analyse(graph, [all], 20), { cores: cores(2) }).rate.estimate;
    };
    expect(bound(80)).toBeCloseTo(20, 1);
    // 100 MB an element: 50 ms to hand one on, beside 100.
    expect(bound(1e9)).toBeCloseTo(2 / 0.15, 1);
    // Dearer than what two lanes would bring: it stays whole, and the bound that of the cores.
    expect(bound(1e11)).toBeCloseTo(20, 1);
  });

  test('what does not fit is not kept', () => {
    expect(forecast(analysis, { memory: bytes(9e7) }).caches).toEqual([]);
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
    const { caches } = forecast(analyse(graph, ['read', 'between', 'decode'].map(lane), 20));
    expect(caches.map(({ operator: id }) => id)).toEqual(['read']);
  });
});

test('the band is wider for a noisier recording, and says so for a short one', () => {
  const { rate } = forecast(analysis);
  expect(rate.low).toBeLessThanOrEqual(rate.estimate);
  expect(rate.high).toBeGreaterThanOrEqual(rate.estimate);
  const short = recorded({ read: 0.1, decode: 0.8, order: 0.1 }, { host: { ...HOST, coresUsable: 2 } });
  expect(forecast(short).rate.estimate).toBeCloseTo(20, 3);
  expect(forecast(analysis).assumptions).toContain('page-cache');
});
