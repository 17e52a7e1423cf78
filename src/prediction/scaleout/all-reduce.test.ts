import { describe, expect, it } from 'vitest';
import { allReduceTime, type Fabric, withAllReduce } from './all-reduce.ts';
import { compileSteps } from './compile.ts';
import { clusterOf, STEP_SETTINGS } from './defaults.ts';
import { layeredModel } from './model.fixture.ts';
import { simulate } from './simulate.ts';
import { COLLECTIVE, type StepGraph, WORKER } from './step.ts';

const fabric: Fabric = {
  algorithm: 'ring',
  perHost: 1,
  insideBandwidth: 1e11,
  insideLatency: 1e-6,
  networkBandwidth: 1e9,
  networkLatency: 2e-5,
};

describe('the time of an all-reduce', () => {
  it('of a ring: 2 (n - 1) / n of the bytes, and as many messages', () => {
    expect(allReduceTime(fabric, 8, 8e6)).toBeCloseTo(14 * (1e6 / 1e9 + 2e-5), 12);
    expect(allReduceTime(fabric, 1, 8e6)).toBe(0);
  });

  it('of two trees: twice the bytes, and messages that grow with the logarithm', () => {
    expect(allReduceTime({ ...fabric, algorithm: 'tree' }, 8, 8e6)).toBeCloseTo(16e6 / 1e9 + 6 * 2e-5, 12);
    const small = (algorithm: 'ring' | 'tree'): number => allReduceTime({ ...fabric, algorithm }, 64, 1e3);
    expect(small('tree')).toBeLessThan(small('ring'));
  });

  it('of hosts with several workers: inside, between and inside again', () => {
    const eight = { ...fabric, perHost: 8 };
    expect(allReduceTime(eight, 8, 8e6)).toBeCloseTo(14 * (1e6 / 1e11 + 1e-6), 12);
    const inside = 14 * (1e6 / 1e11 + 1e-6);
    const between = 6 * (2e6 / 1e9 + 2e-5);
    expect(allReduceTime(eight, 32, 8e6)).toBeCloseTo(inside + between, 12);
  });
});

const LAYERS = [1e6, 4e6, 2e6, 3e6, 8e6, 5e5];
const model = {
  batchSize: 32,
  steps: 1,
  layers: LAYERS,
  forward: 2e-3,
  backward: 4e-3,
  update: 1e-4,
  jitter: 0,
  seed: 1,
};

/** Buckets overlap backward: each begins when its last gradient is there and the one before has ended. */
function closedForm(workers: number, bucketBytes: number): number {
  const backwardBegins = (LAYERS.length + 1) * model.forward;
  let free = 0;
  let held = 0;
  for (const [done, bytes] of [...LAYERS].reverse().entries()) {
    held += bytes;
    if (held < bucketBytes && done + 1 < LAYERS.length) continue;
    const ready = backwardBegins + (done + 1) * model.backward;
    free = Math.max(free, ready) + allReduceTime(fabric, workers, held);
    held = 0;
  }
  const computed = backwardBegins + LAYERS.length * model.backward;
  return (workers * model.batchSize) / Math.max(free, computed);
}

describe('training with all-reduce', () => {
  it.each([1, 2, 4, 8, 16, 32, 64])('of %i workers takes what buckets that overlap backward take', workers => {
    for (const bucketBytes of [1, 5e6, 1e9]) {
      const profile = withAllReduce(layeredModel(model), bucketBytes);
      const cluster = clusterOf({
        workers,
        bandwidth: 1e9,
        mode: 'allreduce',
        allReduceTime: bytes => allReduceTime(fabric, workers, bytes),
      });
      const { throughput } = simulate(compileSteps(profile, STEP_SETTINGS), cluster, { steps: 20, warmUp: 5, seed: 1 });
      expect(throughput / closedForm(workers, bucketBytes)).toBeCloseTo(1, 9);
    }
  });

  it('waits for the slowest worker at every collective', () => {
    const profile = withAllReduce(layeredModel(model), 5e6);
    const cluster = clusterOf({
      workers: 4,
      bandwidth: 1e9,
      mode: 'allreduce',
      speeds: [1, 1, 0.5, 1],
      allReduceTime: () => 0,
    });
    const { throughput } = simulate(compileSteps(profile, STEP_SETTINGS), cluster, { steps: 20, warmUp: 5, seed: 1 });
    const alone = (LAYERS.length + 1) * model.forward + LAYERS.length * model.backward;
    expect(throughput / ((4 * model.batchSize) / (2 * alone))).toBeCloseTo(1, 9);
  });

  it('counts every step of workers that end theirs at different moments', () => {
    // Where all have the same to compute until the collective, but not after it, throughput is that of the collective.
    const tails = [1e-3, 2e-3, 3e-3, 4e-3];
    const graph = {
      names: ['compute', 'reduce', 'tail'],
      resources: [WORKER, COLLECTIVE, WORKER],
      bytes: [0, 1, 0],
      parameters: [-1, -1, -1],
      recordedServers: [],
      offsets: [0, 1, 2, 2],
      dependents: [1, 2],
    };
    const steps = tails.map(tail => ({ graph: 0, durations: [0.1, 0, tail], starts: [0, 0, 0], duration: 0.1 }));
    const cluster = clusterOf({ workers: 64, bandwidth: 1, mode: 'allreduce', allReduceTime: () => 0 });
    const compiled = compileSteps({ batchSize: 1, graphs: [graph], steps }, STEP_SETTINGS);
    const { throughput } = simulate(compiled, cluster, { steps: 60, warmUp: 10, seed: 1 });
    // Of 64 workers, one has the longest tail in nearly every step.
    expect(throughput / (64 / 0.104)).toBeCloseTo(1, 3);
  });

  it('has a collective end before what a worker computes until the same moment, so that ops queue alike for any number of workers', () => {
    const names = ['gradient', 'reduce', 'beside'];
    const graph = {
      names,
      resources: [WORKER, COLLECTIVE, WORKER],
      bytes: [0, 1, 0],
      parameters: [-1, -1, -1],
      recordedServers: [],
      offsets: [0, 1, 1, 1],
      dependents: [1],
    };
    const steps = [{ graph: 0, durations: [1, 0, 2], starts: [0, 1, 0], duration: 2 }];
    const compiled = compileSteps({ batchSize: 1, graphs: [graph], steps }, STEP_SETTINGS);
    for (const workers of [1, 3]) {
      const cluster = { ...clusterOf({ workers, bandwidth: 1, mode: 'allreduce', allReduceTime: () => 1 }), lanes: 2 };
      const ends: (string | undefined)[] = [];
      const observer = { chunk: (_: number, __: number, row: number) => ends.push(names[row]), step: () => undefined };
      simulate(compiled, cluster, { steps: 1, warmUp: 0, seed: 1 }, observer);
      expect(ends).toEqual(names.flatMap(name => Array(workers).fill(name)));
    }
  });

  it('keeps collectives as recorded, in their order', () => {
    const once = withAllReduce(layeredModel(model), 5e6);
    const twice = withAllReduce(once, 1);
    expect(twice.graphs[0]?.names).toEqual(once.graphs[0]?.names);
    expect(twice.graphs[0]?.bytes).toEqual(once.graphs[0]?.bytes);
  });

  it('draws steps whose gradients come in different orders without standing still', () => {
    const profile = withAllReduce(layeredModel({ ...model, steps: 20, jitter: 0.5 }), 2e6);
    const cluster = clusterOf({ workers: 6, bandwidth: 1e9, mode: 'allreduce', allReduceTime: bytes => bytes / 1e9 });
    expect(
      simulate(compileSteps(profile, STEP_SETTINGS), cluster, { steps: 60, warmUp: 5, seed: 1 }).steps,
    ).toBeGreaterThan(300);
  });

  it('lets workers meet in steps with the same collectives, where some steps also validate', () => {
    const graphOf = (collectives: number): StepGraph => ({
      names: ['compute', ...Array.from({ length: collectives }, (_, at) => `reduce ${at}`)],
      resources: [WORKER, ...Array(collectives).fill(COLLECTIVE)],
      bytes: [0, ...Array(collectives).fill(4)],
      parameters: Array(collectives + 1).fill(-1),
      recordedServers: [],
      offsets: [0, 1, ...Array(collectives).fill(1)],
      dependents: [1],
    });
    const seconds = [1, 2, 1, 2, 10, 10, 1, 2];
    const steps = seconds.map(own => {
      const graph = own === 10 ? 1 : 0;
      return { graph, durations: [own, 0, 0, 0], starts: [0, own, own, own], duration: own };
    });
    const profile = withAllReduce({ batchSize: 1, graphs: [graphOf(1), graphOf(3)], steps }, 1);
    const compiled = compileSteps(profile, STEP_SETTINGS);
    const cluster = clusterOf({ workers: 3, bandwidth: 1, mode: 'allreduce', allReduceTime: () => 0 });
    for (const choices of [undefined, [4, 0, 0, 1, 5]]) {
      const drawn: number[][] = [[], [], []];
      const observer = {
        chunk: () => undefined,
        step: (worker: number, step: number) => drawn[worker]?.push(seconds[step] ?? 0),
      };
      simulate(compiled, cluster, { steps: 200, warmUp: 0, seed: 1, choices }, observer);
      const [first = [], ...others] = drawn;
      const isLong = (own: readonly number[]): boolean[] => own.slice(0, 199).map(each => each === 10);
      for (const other of others) expect(isLong(other)).toEqual(isLong(first));
      // Of steps alike each worker still draws its own, and all as often as they were profiled.
      expect(others[0]).not.toEqual(first);
      expect(isLong(first).filter(Boolean).length / 199).toBeCloseTo(choices === undefined ? 0.25 : 0.4, 1);
    }
  });
});
