import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { condensed } from './condense.ts';
import { LANES, lanedProfile, lanedSteps, OPS } from './laned-profile.fixture.ts';
import { REQUEST } from './request.ts';
import { simulate } from './simulate.ts';
import { COLLECTIVE, type ScaleoutProfile, type StepGraph, WORKER } from './step.ts';
import { ScaleoutJob } from './tasks.ts';

const STEPS = 12;

/** When steps end: by worker, then by step. */
function endsOf(job: ScaleoutJob, workers: number, lanes: number): number[] {
  const ends: number[][] = Array.from({ length: workers }, () => []);
  const cluster = { ...job.cluster({ servers: 1, workers, start: 'joint', resample: 0 }), lanes };
  simulate(
    job.compiled(1),
    cluster,
    { steps: STEPS, warmUp: 0, seed: 1 },
    {
      chunk: () => undefined,
      step: (worker, _, __, end) => ends[worker]?.push(end),
    },
  );
  return ends.flatMap(own => own.slice(0, STEPS - 1));
}

describe('steps of longest paths between collectives', () => {
  it('take as long as with every op, on any number of workers of any speed', () => {
    fc.assert(
      fc.property(
        lanedSteps,
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0.2, max: 3, noNaN: true }),
        (job, workers, speed) => {
          const profile = lanedProfile(job);
          const request = {
            ...REQUEST,
            mode: 'allreduce',
            workers: [workers],
            bandwidth: 1e7,
            lanes: LANES,
            speeds: [speed],
            steps: STEPS,
          } as const;
          const whole = new ScaleoutJob(profile, request);
          const few = new ScaleoutJob({ ...profile, orderedLanes: LANES }, request);
          expect(few.compiled(1).most).toBeLessThan(OPS);
          const [expected, found] = [endsOf(whole, workers, LANES), endsOf(few, workers, OPS)];
          for (const [at, end] of found.entries()) expect(end / (expected[at] ?? 0)).toBeCloseTo(1, 9);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('have an op for each collective, and for each path that no way over another collective outlasts', () => {
    const profile: ScaleoutProfile = {
      batchSize: 1,
      graphs: [
        {
          names: ['a', 'b', 'c', 'first', 'd', 'second', 'e'],
          resources: [WORKER, WORKER, WORKER, COLLECTIVE, WORKER, COLLECTIVE, WORKER],
          bytes: [0, 0, 0, 10, 0, 20, 0],
          parameters: [-1, -1, -1, -1, -1, -1, -1],
          recordedServers: [],
          // a → b → c → first → second → e, b → d → second
          offsets: [0, 1, 3, 4, 5, 6, 7, 7],
          dependents: [1, 2, 4, 3, 5, 5, 6],
        },
      ],
      steps: [{ graph: 0, durations: [1, 2, 4, 0, 8, 0, 16], starts: [0, 1, 3, 7, 3, 11, 11], duration: 27 }],
    };
    const { graphs, steps } = condensed(profile);
    expect(graphs[0]?.names).toEqual(['first', 'second', 'start to first', 'start to second', 'second to end']);
    expect(steps[0]?.durations.slice(2)).toEqual([7, 11, 16]);
    expect(graphs[0]?.bytes).toEqual([10, 20, 0, 0, 0]);
  });

  it('stay as they are where collectives are too many', () => {
    const graph: StepGraph = {
      names: ['a', 'first', 'second'],
      resources: [WORKER, COLLECTIVE, COLLECTIVE],
      bytes: [0, 1, 1],
      parameters: [-1, -1, -1],
      recordedServers: [],
      offsets: [0, 1, 2, 2],
      dependents: [1, 2],
    };
    const steps = [{ graph: 0, durations: [1, 0, 0], starts: [0, 1, 1], duration: 1 }];
    expect(condensed({ batchSize: 1, graphs: [graph], steps }).graphs[0]).toBe(graph);
  });
});
