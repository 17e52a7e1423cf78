import { describe, expect, it } from 'vitest';
import { closedThroughput } from './baselines.ts';
import type { Cluster, StepSettings } from './cluster.ts';
import { compileSteps } from './compile.ts';
import { clusterOf, STEP_SETTINGS } from './defaults.ts';
import { layeredModel, onePhaseModel } from './model.fixture.ts';
import { referenceSimulation } from './reference.fixture.ts';
import { simulate } from './simulate.ts';
import type { Extent, Simulated } from './simulated.ts';
import { type ScaleoutProfile, WORKER } from './step.ts';

const K = 64;
const B = 1e9;
const SHORT = { steps: 12, warmUp: 3, seed: 7 };

const LAYERS = { batchSize: K, steps: 20, forward: 2e-3, backward: 4e-3, update: 1e-4, jitter: 0.1, seed: 3 };
const layered = (layers = [3e5, 9e6, 2e5, 4e6, 1e6, 2.5e7]): ScaleoutProfile => layeredModel({ ...LAYERS, layers });

const run = (
  profile: ScaleoutProfile,
  cluster: Cluster,
  extent: Extent,
  settings: Partial<StepSettings> = {},
): Simulated => simulate(compileSteps(profile, { ...STEP_SETTINGS, ...settings }), cluster, extent);

function exponential(count: number, mean: number): number[] {
  // Quantiles in the middle of equal parts: their mean is that of the distribution, nearly.
  const times = Array.from({ length: count }, (_, at) => -Math.log(1 - (at + 0.5) / count));
  const sum = times.reduce((a, b) => a + b, 0);
  return times.map(time => (time * mean * count) / sum);
}

describe('without communication', () => {
  it.each([1, 8, 64])('%i workers are so many times as fast as one', workers => {
    const profile = onePhaseModel(K, 0, [0.25]);
    const { throughput } = run(profile, clusterOf({ workers, bandwidth: B }), { ...SHORT, steps: 40 });
    expect(throughput / ((workers * K) / 0.25)).toBeCloseTo(1, 12);
  });
});

describe('use of a unit', () => {
  it.each([1, 3])(
    'counts what was done, not what was begun: %i workers that always compute are used whole',
    workers => {
      const [names, resources, bytes] = [['compute'], [WORKER], [0]];
      const graph = { names, resources, bytes, parameters: [-1], recordedServers: [], offsets: [0, 0], dependents: [] };
      const steps = [{ graph: 0, durations: [0.25], starts: [0], duration: 0.25 }];
      const { used } = run({ batchSize: K, graphs: [graph], steps }, clusterOf({ workers, bandwidth: B }), SHORT);
      expect(Math.max(...used)).toBeCloseTo(1, 12);
    },
  );
});

describe('a pause between steps', () => {
  it.each(['async', 'sync'] as const)('makes the steps of %s workers so much longer', mode => {
    const cluster = clusterOf({ workers: 3, bandwidth: B, mode, pause: 0.15 });
    const { throughput, used } = run(onePhaseModel(K, 0, [0.25]), cluster, { ...SHORT, steps: 40 });
    expect(throughput / ((3 * K) / 0.4)).toBeCloseTo(1, 12);
    expect(Math.max(...used)).toBeCloseTo(0.25 / 0.4, 12);
  });
});

describe('transfers that are asked for late', () => {
  /** 10 ms each way, 3 ms and 2 ms until the transfers are asked for. */
  const delayed = (compute: number): ScaleoutProfile => {
    const profile = onePhaseModel(1, 1e7, [compute]);
    return { ...profile, steps: profile.steps.map(step => ({ ...step, delays: [3e-3, 0, 2e-3] })) };
  };

  it('make a step longer by that, and leave links to others meanwhile', () => {
    const extent = { ...SHORT, steps: 40 };
    const alone = run(delayed(0.005), clusterOf({ workers: 1, bandwidth: B }), extent);
    expect(alone.throughput).toBeCloseTo(1 / 0.03, 9);
    // The second begins when the first has left the downlink, and never meets it there or on the uplink.
    const starts = [0, 0.013];
    const two = run(delayed(0.005), clusterOf({ workers: 2, bandwidth: B, starts }), extent);
    expect(two.throughput / 2).toBeCloseTo(1 / 0.03, 0);
    expect(two.used[0]).toBeCloseTo(2 / 3, 1);
  });

  it('are sent in the order in which they are asked for, or are asked for in a given one', () => {
    const profile = layered([1e6, 2e6, 3e6]);
    const isDown = (name: string): boolean => name.startsWith('down');
    const names = profile.graphs[0]?.names ?? [];
    const late = {
      ...profile,
      steps: profile.steps.map(step => ({
        ...step,
        delays: names.map((name, op) => (isDown(name) ? 4e-3 - op * 1e-4 : 0)),
      })),
    };
    const sent = (order: StepSettings['order']): string[] => {
      const compiled = compileSteps(late, { ...STEP_SETTINGS, order });
      const found: string[] = [];
      simulate(
        compiled,
        clusterOf({ workers: 1, bandwidth: B }),
        { steps: 1, warmUp: 0, seed: 1 },
        { chunk: (_worker, _unit, row) => found.push(compiled.names[row] ?? ''), step: () => undefined },
      );
      return found.filter(isDown).slice(0, 3);
    };
    expect(sent('recorded')).toEqual(['down 2', 'down 1', 'down 0']);
    expect(sent('layer')).toEqual(['down 0', 'down 1', 'down 2']);
  });
});

it('sends streams whole where they are never interrupted, whatever the window', () => {
  const rateWith = (given: Partial<Cluster>): number =>
    run(layered(), clusterOf({ workers: 3, bandwidth: B, ...given }), { ...SHORT, steps: 40 }).throughput;
  const whole = rateWith({});
  expect(rateWith({ window: 1 << 16, multiplexing: 'whole' })).toBe(whole);
  expect(rateWith({ window: 1 << 16 })).not.toBe(whole);
});

describe('bounds', () => {
  it.each([1, 4, 64])('%i identical workers that only communicate stay in lockstep, at K·B / (down + up)', workers => {
    const { throughput } = run(onePhaseModel(K, 1e8, [0]), clusterOf({ workers, bandwidth: B }), {
      ...SHORT,
      steps: 40,
    });
    expect(throughput / ((K * B) / 2e8)).toBeCloseTo(1, 9);
  });

  it('no number of workers is faster than so many alone, or than the link', () => {
    const profile = layered();
    const extent = { steps: 120, warmUp: 20, seed: 1 };
    const alone = run(profile, clusterOf({ workers: 1, bandwidth: B }), extent).throughput;
    const bytes = 3e5 + 9e6 + 2e5 + 4e6 + 1e6 + 2.5e7;
    for (const workers of [2, 4, 8, 16]) {
      const { throughput, used } = run(profile, clusterOf({ workers, bandwidth: B, window: 1 << 20 }), extent);
      expect(throughput).toBeLessThan(1.01 * workers * alone);
      // What is under way when the window opens is counted as if it had been sent in it.
      expect(throughput).toBeLessThan(1.02 * ((K * B) / bytes));
      for (const part of used) expect(part).toBeLessThan(1 + 1e-9);
    }
  });
});

describe('one transfer each way', () => {
  const distributions = {
    constant: [0.2],
    'two values': [0.02, 0.38],
    'evenly spread': Array.from({ length: 50 }, (_, at) => (0.4 * (at + 0.5)) / 50),
    exponential: exponential(200, 0.2),
  };
  it.each(Object.entries(distributions))(
    'is a closed queueing network, and its exact solution is met: %s',
    (name, compute) => {
      const bytes = 4e7;
      // Sizes vary, too: where all is constant, workers never leave the pattern they began in.
      const profile = onePhaseModel(K, bytes, compute);
      const [graph] = profile.graphs;
      const factors = Array.from({ length: 31 }, (_, at) => 0.5 + at / 30);
      const sizes = factors.map(factor => ({ ...graph, bytes: (graph?.bytes ?? []).map(own => own * factor) }));
      const varied = {
        ...profile,
        graphs: sizes as typeof profile.graphs,
        steps: sizes.flatMap((_, at) => profile.steps.map(step => ({ ...step, graph: at }))),
      };
      for (const workers of [1, 2, 4, 8, 32]) {
        const extent = { steps: Math.ceil(200_000 / workers), warmUp: 50, seed: 5 };
        const { throughput } = run(varied, clusterOf({ workers, bandwidth: B }), extent);
        const exact = K * closedThroughput(workers, [bytes / B, bytes / B], 0.2);
        expect(Math.abs(throughput / exact - 1), `${name}, ${workers} workers`).toBeLessThan(0.005);
      }
    },
  );
});

describe('the reference implementation agrees', () => {
  const overhead = { perByte: 1e-10, perMessage: 3e-5 };
  const cases: [string, Partial<Cluster> & { workers: number; servers?: number }, Partial<StepSettings>][] = [
    ['one worker', { workers: 1 }, { overhead }],
    ['eight workers, streams in chunks', { workers: 8, window: 1 << 20 }, { overhead }],
    ['no overhead', { workers: 5, window: 1 << 20 }, {}],
    ['streams whole', { workers: 8 }, { overhead }],
    ['fresh streams first', { workers: 4, window: 1 << 19, multiplexing: 'fresh' }, { overhead }],
    ['chunk by chunk', { workers: 4, window: 1 << 19, multiplexing: 'cycle' }, { overhead }],
    ['streams whole, whatever the window', { workers: 4, window: 1 << 19, multiplexing: 'whole' }, { overhead }],
    ['chunks to servers alone', { workers: 6, uplinkWindow: 1 << 20 }, { overhead }],
    ['parsing beside computation', { workers: 6, window: 1 << 20 }, { overhead, parse: 'beside' }],
    ['parsing beside workers of several speeds', { workers: 3, speeds: [1, 0.5, 2] }, { overhead, parse: 'beside' }],
    ['two lanes', { workers: 3, window: 1 << 20, lanes: 2 }, { overhead }],
    ['two servers', { workers: 7, window: 1 << 20, servers: 2 }, { overhead, servers: 2 }],
    ['two servers, unevenly', { workers: 4, servers: 2 }, { overhead, servers: 2, partition: 'greedy' }],
    ['three servers', { workers: 6, window: 1 << 20, servers: 3 }, { overhead, servers: 3, partition: 'balanced' }],
    ['four workers to a card', { workers: 8, servers: 2, perHost: 4 }, { overhead, servers: 2 }],
    ['slow cards', { workers: 5, hostBandwidths: [4e8, 4e8, 1e8, 4e8, 2e9] }, { overhead }],
    ['workers of several speeds', { workers: 4, speeds: [1, 0.5, 2, 1] }, { overhead }],
    ['a barrier after each step', { workers: 5, window: 1 << 20, mode: 'sync' }, { overhead }],
    ['in the order of TIC', { workers: 4 }, { overhead, order: 'tic' }],
    ['in a random order', { workers: 4 }, { overhead, order: 'random' }],
  ];
  /** Every op is in line some time after it could be, the first ones of a step too. */
  const late = (profile: ScaleoutProfile): ScaleoutProfile => ({
    ...profile,
    steps: profile.steps.map(({ durations, ...step }, at) => ({
      ...step,
      durations,
      delays: durations.map((own, op) => (own + 1e-4) * ((at + op) % 3)),
    })),
  });
  const all = [
    ...cases.map(([name, given, settings]) => [name, layered(), given, settings] as const),
    ['ops that are late', late(layered()), { workers: 4, window: 1 << 20 }, { overhead }] as const,
    ['late ops on two lanes', late(layered()), { workers: 3, lanes: 2 }, {}] as const,
  ];
  it.each(all)('%s', (_, profile, given, settings) => {
    const cluster = clusterOf({ bandwidth: B, ...given });
    const set = { ...STEP_SETTINGS, ...settings };
    const reference = referenceSimulation(profile, set, cluster, SHORT);
    const ends: number[][] = Array.from({ length: given.workers }, () => []);
    const simulated = simulate(compileSteps(profile, set), cluster, SHORT, {
      chunk: () => undefined,
      step: (worker, _step, _start, end) => ends[worker]?.push(end),
    });
    expect(simulated.throughput / reference.throughput).toBeCloseTo(1, 9);
    expect(simulated.events).toBe(reference.events);
    for (const [worker, own] of reference.ends.entries()) {
      expect(ends[worker]?.length).toBe(own.length);
      for (const [at, end] of own.entries()) expect((ends[worker]?.[at] ?? 0) / end).toBeCloseTo(1, 9);
    }
  });
});

describe('a simulation', () => {
  it('gives the same for the same seed, and nearly the same for another', () => {
    const deep = layered(Array.from({ length: 24 }, (_, layer) => (layer % 4 === 0 ? 4e6 : 2e5)));
    const at = (seed: number): number =>
      run(deep, clusterOf({ workers: 4, bandwidth: B, window: 1 << 20 }), { steps: 400, warmUp: 50, seed }).throughput;
    expect(at(1)).toBe(at(1));
    const rates = [1, 2, 3, 4, 5, 6].map(at);
    expect(new Set(rates).size).toBe(6);
    expect(Math.max(...rates) / Math.min(...rates)).toBeLessThan(1.01);
  });

  it('counts from the last warm worker to the end of the first, also where one is far slower than the others', () => {
    const profile = onePhaseModel(K, 0, [0.1]);
    const speeds = [1, 1, 0.05];
    const extent = { steps: 1000, warmUp: 60, seed: 1 };
    const { throughput, from, to } = run(profile, clusterOf({ workers: 3, bandwidth: B, speeds }), extent);
    // Its 60 steps take 120 s, and the others have then done more than their 1000.
    expect([from, to - from]).toEqual([expect.closeTo(120, 6), expect.closeTo(94, 6)]);
    expect(throughput / (2.05 * (K / 0.1))).toBeCloseTo(1, 2);
  });

  it('holds each worker to the rate of its input, which prepares ahead as much as its buffer holds', () => {
    const profile = onePhaseModel(K, 0, [0.1]);
    const of = (rate: number): number =>
      run(profile, clusterOf({ workers: 3, bandwidth: B, input: { rate, buffer: 2 } }), { ...SHORT, steps: 60 })
        .throughput;
    expect(of(4) / (3 * K * 4)).toBeCloseTo(1, 9);
    expect(of(40) / (3 * K * 10)).toBeCloseTo(1, 9);
  });

  it('parses what comes together together where it does so beside, one after the other on a processor', () => {
    const profile = layered([1, 1, 1, 1]);
    const lastOf = (parse: 'worker' | 'beside'): number => {
      const ends: number[] = [];
      const steps = compileSteps(profile, { ...STEP_SETTINGS, parse, overhead: { perByte: 0, perMessage: 1 } });
      const extent = { steps: 1, warmUp: 0, seed: 1 };
      simulate(steps, clusterOf({ workers: 1, bandwidth: B }), extent, {
        chunk: (_worker, _unit, row, _start, end) => {
          if (steps.names[row]?.startsWith('parse') && ends.length < 4) ends.push(end);
        },
        step: () => undefined,
      });
      return ends[3] ?? Number.NaN;
    };
    expect(lastOf('worker')).toBeGreaterThan(4);
    expect(lastOf('beside')).toBeCloseTo(1, 6);
  });

  it('waits at the barrier of a synchronous server for the slowest worker', () => {
    const profile = onePhaseModel(K, 0, [0.1]);
    const cluster = clusterOf({ workers: 4, bandwidth: B, mode: 'sync', speeds: [1, 1, 0.5, 1] });
    expect(run(profile, cluster, SHORT).throughput / ((4 * K) / 0.2)).toBeCloseTo(1, 9);
  });

  it('slows steps of stragglers as often as asked', () => {
    const profile = onePhaseModel(K, 0, [0.1]);
    const straggling = { probability: 0.25, factor: 3 };
    const { throughput } = run(profile, clusterOf({ workers: 8, bandwidth: B, straggling }), {
      steps: 2000,
      warmUp: 10,
      seed: 2,
    });
    const expected = (8 * K) / (0.1 * (0.75 + 0.25 * 3));
    expect(Math.abs(throughput / expected - 1)).toBeLessThan(0.01);
  });

  it('starts workers when they are to start', () => {
    const first: number[] = [];
    simulate(
      compileSteps(onePhaseModel(K, 0, [0.1]), STEP_SETTINGS),
      clusterOf({ workers: 3, bandwidth: B, starts: [0, 0.03, 0.06] }),
      SHORT,
      { chunk: () => undefined, step: (worker, _step, start) => (first[worker] ??= start) },
    );
    expect(first).toEqual([0, 0.03, 0.06]);
  });
});
