import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../math/random.ts';
import { compileSteps } from './compile.ts';
import { clusterOf, STEP_SETTINGS } from './defaults.ts';
import { layeredModel } from './model.fixture.ts';
import { recordedProfile } from './recorded-profile.fixture.ts';
import { inSendingOrder } from './sending-order.ts';
import { DOWNLINK, type ScaleoutProfile } from './step.ts';
import { type EndErrors, reproduce } from './stream-ends.ts';

const B = 1e8;
const WHOLE = { bandwidth: B, window: Number.POSITIVE_INFINITY, uplinkWindow: Number.POSITIVE_INFINITY };

const modelOf = (layers: readonly number[], seed: number): ScaleoutProfile =>
  layeredModel({ batchSize: 1, steps: 2, layers, forward: 5e-3, backward: 1e-2, update: 1e-4, jitter: 0.1, seed });

/** The streams of a step's beginning handed over in a random order, each a nanosecond after the one before. */
function shuffled(profile: ScaleoutProfile, seed: number): ScaleoutProfile {
  const { resources = [] } = profile.graphs[0] ?? {};
  const random = new Random();
  return {
    ...profile,
    steps: profile.steps.map((step, number) => {
      random.rekey(seed, 0, number, 0, 0);
      const keys = resources.map(() => random.uniform());
      const turn = [...resources.keys()].filter(op => resources[op] === DOWNLINK);
      turn.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
      return { ...step, delays: resources.map((_, op) => Math.max(0, turn.indexOf(op)) * 1e-9) };
    }),
  };
}

/** Errors of one worker's streams where it does these steps, against those that were recorded. */
function errorsOf(steps: ScaleoutProfile, recorded: ScaleoutProfile, window = Number.POSITIVE_INFINITY): EndErrors {
  const cluster = clusterOf({ workers: 1, bandwidth: B, window });
  return reproduce(recorded, compileSteps(steps, STEP_SETTINGS), cluster, [0, 1]).streams;
}

/** Bytes of layers: from those of a bias to those of a layer with all connections. */
const layers = fc.array(
  fc.integer({ min: 10, max: 23 }).map(power => 2 ** power),
  { minLength: 2, maxLength: 12 },
);

describe('the order in which streams were sent', () => {
  it('is told by their ends: what is simulated ends when it was recorded to', () => {
    fc.assert(
      fc.property(layers, fc.nat(1e6), (sizes, seed) => {
        const recorded = recordedProfile(shuffled(modelOf(sizes, seed), seed), WHOLE);
        expect(errorsOf(inSendingOrder(recorded, WHOLE), recorded).max).toBeLessThan(0.01);
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  it('is not that in which they were asked for, which the trace says', () => {
    const recorded = recordedProfile(shuffled(modelOf([1e4, 8e6, 2e4, 4e6, 1e4], 3), 3), WHOLE);
    expect(errorsOf(recorded, recorded).max).toBeGreaterThan(1);
    expect(errorsOf(inSendingOrder(recorded, WHOLE), recorded).max).toBeLessThan(1e-3);
  });

  it('stays where they were sent as they were asked for, in chunks too', () => {
    const window = 2 ** 20;
    fc.assert(
      fc.property(layers, fc.nat(1e6), (sizes, seed) => {
        const recorded = recordedProfile(modelOf(sizes, seed), { bandwidth: B, window });
        const link = { bandwidth: B, window, uplinkWindow: window };
        expect(errorsOf(inSendingOrder(recorded, link), recorded, window).max).toBeLessThan(1e-3);
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  it('is not told by ends that lie closer than what was sent between them takes: threads parse late', () => {
    const recorded = recordedProfile(modelOf([4e6, 4], 1), WHOLE);
    const late = {
      ...recorded,
      steps: recorded.steps.map(step => ({
        ...step,
        durations: step.durations.map((own, op) => (op === 0 ? own + 1e-3 : own)),
      })),
    };
    const delaysOf = ({ steps }: ScaleoutProfile): unknown => steps.map(({ delays }) => delays);
    expect(delaysOf(inSendingOrder(late, WHOLE))).toEqual(delaysOf(recorded));
  });

  it('is left to the moments of requests where nothing is known of these', () => {
    const { steps } = inSendingOrder(modelOf([4e6, 4], 1), WHOLE);
    expect(steps.map(({ delays }) => delays)).toEqual([undefined, undefined]);
  });
});
