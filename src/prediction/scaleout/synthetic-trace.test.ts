import { describe, expect, it } from 'vitest';
import { layeredModel } from './model.fixture.ts';
import { phasesOf, synchronyOf } from './phases.ts';
import { REQUEST } from './request.ts';
import { syntheticTrace } from './synthetic-trace.ts';
import { ScaleoutJob } from './tasks.ts';

const model = {
  batchSize: 1,
  steps: 5,
  layers: [1e6, 3e6],
  forward: 1e-2,
  backward: 2e-2,
  update: 1e-3,
  jitter: 0.3,
  seed: 1,
};
const jobOf = (jitter: number): ScaleoutJob =>
  new ScaleoutJob(layeredModel({ ...model, jitter }), { ...REQUEST, workers: [3], bandwidth: 1e8, window: 2 ** 20 });
const task = { servers: 1, workers: 3, start: 'joint', resample: 0 } as const;

describe('a synthetic trace', () => {
  const trace = syntheticTrace(jobOf(0.3), task, 6);

  it('has every chunk of every worker, and never two at once on a unit', () => {
    expect(trace.ranks).toHaveLength(3);
    expect(trace.steps.length).toBeGreaterThanOrEqual(3 * 5);
    // Eleven ops, and the larger layer in two chunks each way.
    const first = [...trace.ops.step].filter(step => step === 0);
    expect(first).toHaveLength(11 + 2);
    for (const resource of trace.resources.keys()) {
      let free = 0;
      for (let op = 0; op < trace.ops.count; op++) {
        if (trace.ops.resource[op] !== resource) continue;
        expect(trace.ops.start[op]).toBeGreaterThanOrEqual(free - 1);
        free = (trace.ops.start[op] ?? 0) + (trace.ops.duration[op] ?? 0);
      }
    }
  });

  it('has the phases of each step, in their order', () => {
    const [step] = phasesOf(trace);
    expect(step).toMatchObject({ worker: 0, step: 0, start: 0 });
    const { downlink, computation, uplink, update } = step ?? {};
    expect([downlink?.from ?? -1, computation?.from ?? -1, uplink?.from ?? -1, update?.from ?? -1]).toEqual(
      [downlink?.from, computation?.from, uplink?.from, update?.from].sort((a, b) => (a ?? 0) - (b ?? 0)),
    );
    // The second layer is still received when the first is computed.
    expect(computation?.from).toBeLessThan(downlink?.to ?? 0);
    expect(update?.to).toBeCloseTo(step?.end ?? 0, 6);
  });
});

describe('synchrony', () => {
  it('is complete while identical workers go together, and is lost as their steps vary', () => {
    const together = synchronyOf(phasesOf(syntheticTrace(jobOf(0), task, 20)));
    expect(together.length).toBeGreaterThan(10);
    for (const { order } of together) expect(order).toBeCloseTo(1, 3);
    const apart = synchronyOf(phasesOf(syntheticTrace(jobOf(0.3), task, 60)));
    expect(apart.at(-1)?.order).toBeLessThan(0.9);
  });

  it('of workers a third of a step apart is none', () => {
    const at = (worker: number, start: number) => ({
      worker,
      step: 0,
      start,
      end: start + 3,
      downlink: undefined,
      computation: undefined,
      uplink: undefined,
      update: undefined,
    });
    expect(synchronyOf([at(0, 0), at(1, 2), at(2, 1)])[0]?.order).toBeCloseTo(0, 9);
  });
});
