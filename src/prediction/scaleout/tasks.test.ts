import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastOf } from './forecast.ts';
import { LANES, lanedProfile, lanedSteps, OPS } from './laned-profile.fixture.ts';
import { REQUEST, type ScaleoutRequest } from './request.ts';
import { simulate } from './simulate.ts';
import { ScaleoutJob, type ScaleoutTask, tasksOf } from './tasks.ts';

const STEPS = 12;
const task = (workers: number): ScaleoutTask => ({ servers: 1, workers, start: 'joint', resample: 0 });

/** One profiled step; whole seconds, so that many ops end together. */
const oneStep = fc
  .tuple(lanedSteps, fc.array(fc.integer({ min: 0, max: 3 }), { minLength: OPS, maxLength: OPS }))
  .map(([steps, seconds]) => lanedProfile({ ...steps, seconds: [seconds.map((each, op) => (op === 0 ? 1 : each))] }));

const asked = fc.record({
  lanes: fc.integer({ min: 1, max: LANES }),
  pause: fc.constantFrom(0, 0.5),
  input: fc.constantFrom(undefined, { rate: 0.2, buffer: 2 }),
  speeds: fc.constantFrom([], [2, 2, 2, 2, 2], [2]),
});

describe('a job of one profiled step', () => {
  it('comes to what every worker simulated by itself comes to', () => {
    fc.assert(
      fc.property(oneStep, asked, fc.integer({ min: 1, max: 5 }), (profile, given, workers) => {
        const request = { ...REQUEST, ...given, mode: 'allreduce', workers: [workers], bandwidth: 1e7, steps: STEPS };
        const job = new ScaleoutJob(profile, request as ScaleoutRequest);
        const { used, throughput, ...counts } = job.run(task(workers));
        const extent = { steps: STEPS, warmUp: STEPS / 2, seed: request.seed };
        const expected = simulate(job.compiled(1), job.cluster(task(workers)), extent);
        expect(counts).toEqual({
          ...{ from: expected.from, to: expected.to },
          ...{ steps: expected.steps, events: expected.events },
        });
        expect(throughput / expected.throughput).toBeCloseTo(1, 12);
        for (const [unit, part] of used.entries()) expect(part).toBeCloseTo(expected.used[unit] ?? 0, 12);
      }),
      { numRuns: 300 },
    );
  });

  it('has resamples that are all alike, unless steps straggle', () => {
    const [profile] = fc.sample(oneStep, { numRuns: 1, seed: 1 });
    if (profile === undefined) throw new Error('No profile was drawn.');
    const straggling = { probability: 0.5, factor: 2 };
    const keys = (request: ScaleoutRequest): number => {
      const job = new ScaleoutJob(profile, request);
      return new Set(tasksOf(request).map(each => job.keyOf(each))).size;
    };
    const request: ScaleoutRequest = {
      ...REQUEST,
      mode: 'allreduce',
      workers: [1, 2, 4],
      bandwidth: 1e7,
      steps: STEPS,
    };
    expect(keys(request)).toBe(3);
    expect(keys({ ...request, straggling })).toBe(3 * (1 + request.resamples));
    const job = new ScaleoutJob(profile, request);
    const results = tasksOf(request).map(each => ({ ...each, simulated: job.run(each) }));
    for (const { throughput } of forecastOf(job, results).points) {
      expect(throughput).toEqual({
        ...throughput,
        low: throughput.estimate,
        high: throughput.estimate,
        confidence: 0.9,
      });
    }
  });
});
