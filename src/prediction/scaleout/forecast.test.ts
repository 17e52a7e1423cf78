import { describe, expect, it } from 'vitest';
import { forecastOf, type ScaleoutForecast } from './forecast.ts';
import { layeredModel } from './model.fixture.ts';
import { REQUEST, type ScaleoutRequest } from './request.ts';
import type { ScaleoutProfile } from './step.ts';
import { ScaleoutJob, tasksOf } from './tasks.ts';

const BYTES = 4e6;
const profile: ScaleoutProfile = layeredModel({
  batchSize: 16,
  steps: 10,
  layers: [BYTES / 4, BYTES / 4, BYTES / 4, BYTES / 4],
  forward: 5e-3,
  backward: 1e-2,
  update: 0,
  jitter: 0.1,
  seed: 1,
});

function forecast(given: Partial<ScaleoutRequest>, from = profile): ScaleoutForecast {
  const request = { ...REQUEST, workers: [1, 2, 4, 8, 16], bandwidth: 2e8, resamples: 3, ...given };
  const job = new ScaleoutJob(from, request);
  return forecastOf(
    job,
    tasksOf(request).map(task => ({ ...task, simulated: job.run(task) })),
  );
}

describe('a forecast of clusters', () => {
  const { points, saturation } = forecast({});

  it('has a point for each number of workers, efficient while alone and less so with more', () => {
    expect(points.map(({ workers }) => workers)).toEqual([1, 2, 4, 8, 16]);
    expect(points[0]?.efficiency).toBeCloseTo(1, 12);
    expect(points[4]?.efficiency).toBeLessThan(0.5);
    for (const { throughput } of points) {
      expect(throughput.low).toBeLessThanOrEqual(throughput.estimate);
      expect(throughput.high).toBeGreaterThanOrEqual(throughput.estimate);
      expect(throughput.confidence).toBe(0.9);
    }
  });

  it('says where it saturates and on what: a link of 2e8 B/s carries 50 steps a second', () => {
    expect(points[4]?.throughput.estimate).toBeLessThan(16 * 50 * 1.01);
    expect(points[4]?.throughput.estimate).toBeGreaterThan(16 * 50 * 0.9);
    expect(saturation).toEqual([{ servers: 1, workers: expect.any(Number), resource: expect.stringMatching(/link/) }]);
    expect([2, 4]).toContain(saturation[0]?.workers);
    expect(points[0]?.uses[0]?.resource).toBe('worker');
  });

  it('does not saturate on a fast link', () => {
    expect(forecast({ bandwidth: 1e12 }).saturation).toEqual([{ servers: 1, workers: undefined, resource: 'worker' }]);
  });

  it('has the formulas beside it', () => {
    const { baselines } = points[3] ?? {};
    expect(baselines?.bound).toBeCloseTo(800, 6);
    expect(baselines?.linear).toBeGreaterThan(800);
  });

  it('gives the same for the same seed', () => {
    expect(forecast({})).toEqual(forecast({}));
  });
});

describe('costs', () => {
  const money = { worker: 3.6, server: 0.36, epoch: 1e6 };

  it('are price times time', () => {
    const [point] = forecast({ money, workers: [4] }).points;
    const seconds = 1e6 / (point?.throughput.estimate ?? 0);
    expect(point?.epochSeconds).toBeCloseTo(seconds, 9);
    expect(point?.epochCost).toBeCloseTo(seconds * (4 * 0.001 + 0.0001), 9);
  });

  it('decide which cluster is the cheapest for a wanted rate; where none reaches it there is none', () => {
    const servers = [1, 2];
    expect(forecast({ money, servers, wanted: 200 }).cheapest).toMatchObject({ servers: 1, workers: 1 });
    const both = forecast({ money, servers, wanted: 900 }).cheapest;
    expect(both).toMatchObject({ servers: 2 });
    expect(forecast({ money, servers, wanted: 1e9 }).cheapest).toBeUndefined();
  });
});

it('a start that decides the throughput is told', () => {
  // Without jitter, workers that begin together stay in lockstep.
  const lockstep = layeredModel({
    batchSize: 1,
    steps: 1,
    layers: [1e7],
    forward: 0,
    backward: 0,
    update: 0,
    jitter: 0,
    seed: 1,
  });
  const [point] = forecast({ workers: [2] }, lockstep).points;
  expect(point?.isBistable).toBe(true);
  expect(point?.throughput.low).toBeLessThanOrEqual(point?.joint ?? 0);
  expect(point?.throughput.high).toBeGreaterThanOrEqual(point?.staggered ?? 0);
});

it('all-reduce has no second start, and its buckets are those asked for', () => {
  const request = { ...REQUEST, mode: 'allreduce', workers: [1, 4], bandwidth: 2e8, resamples: 0 } as const;
  expect(tasksOf(request).map(({ start }) => start)).toEqual(['joint', 'joint']);
  const job = new ScaleoutJob(profile, { ...request, bucketBytes: 1 });
  expect(job.compiled(1).names.filter(name => name.startsWith('all-reduce'))).toHaveLength(4);
});
