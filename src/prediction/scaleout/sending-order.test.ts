import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../math/random.ts';
import { compileSteps } from './compile.ts';
import { clusterOf, STEP_SETTINGS } from './defaults.ts';
import { layeredModel } from './model.fixture.ts';
import { recordedProfile } from './recorded-profile.fixture.ts';
import { inSendingOrder } from './sending-order.ts';
import { DOWNLINK, type ScaleoutProfile, UPLINK } from './step.ts';
import { type EndErrors, reproduce } from './stream-ends.ts';

const B = 1e8;
const WHOLE = { bandwidth: B, window: Number.POSITIVE_INFINITY, uplinkWindow: Number.POSITIVE_INFINITY, perByte: 0 };

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

const delaysOf = ({ steps }: ScaleoutProfile): unknown => steps.map(({ delays }) => delays);

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
        const link = { ...WHOLE, window, uplinkWindow: window };
        expect(errorsOf(inSendingOrder(recorded, link), recorded, window).max).toBeLessThan(1e-3);
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  it('stays so where each message waits until those before it have been parsed, on the processor', () => {
    fc.assert(
      fc.property(layers, fc.nat(1e6), fc.double({ min: 0, max: 5e-8, noNaN: true }), (sizes, seed, perByte) => {
        const overhead = { perByte, perMessage: 2e-4 };
        const recorded = recordedProfile(modelOf(sizes, seed), { bandwidth: B, overhead });
        expect(delaysOf(inSendingOrder(recorded, { ...WHOLE, perByte }))).toEqual(delaysOf(recorded));
      }),
      { seed: 3, numRuns: 100 },
    );
  });

  it('is told on each link by itself: servers do not wait for each other', () => {
    const one = recordedProfile(shuffled(modelOf([1e4, 8e6, 2e4, 4e6, 1e4], 3), 3), WHOLE);
    const graphs = one.graphs.map(graph => ({ ...graph, recordedServers: graph.recordedServers.map((_, at) => at) }));
    expect(delaysOf(inSendingOrder({ ...one, graphs }, WHOLE))).toEqual(delaysOf(one));
    expect(delaysOf(inSendingOrder(one, WHOLE))).not.toEqual(delaysOf(one));
  });

  it('is put right for the links that are meant', () => {
    const recorded = recordedProfile(shuffled(modelOf([1e4, 8e6, 2e4, 4e6, 1e4], 3), 3), WHOLE);
    const changed = (isMeant?: (resource: number) => boolean): boolean =>
      JSON.stringify(delaysOf(inSendingOrder(recorded, WHOLE, isMeant))) !== JSON.stringify(delaysOf(recorded));
    expect([changed(), changed(resource => resource === DOWNLINK), changed(resource => resource === UPLINK)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  /** Transfers of one link that wait for nothing, by when each was asked for and ended, s, and its bytes. */
  const transfers = (
    ...streams: readonly (readonly [asked: number, end: number, bytes: number])[]
  ): ScaleoutProfile => ({
    batchSize: 1,
    graphs: [
      {
        names: streams.map((_, op) => `transfer ${op}`),
        resources: streams.map(() => DOWNLINK),
        bytes: streams.map(([, , bytes]) => bytes),
        parameters: streams.map((_, op) => op),
        recordedServers: streams.map(() => 0),
        offsets: [0, ...streams.map(() => 0)],
        dependents: [],
      },
    ],
    steps: [
      {
        graph: 0,
        starts: streams.map(([asked]) => asked),
        durations: streams.map(([asked, end]) => end - asked),
        delays: streams.map(([asked]) => asked),
        duration: 1,
      },
    ],
  });

  it.each([
    // 10 MB take 100 ms: the second, of 100 kB, is asked for 89 ms before the third, of 1 MB, and was sent after it.
    [
      'requests lie farther apart than both take to be sent',
      transfers([0, 0.1, 1e7], [0.001, 0.111, 1e5], [0.09, 0.11, 1e6]),
    ],
    ['ends are the same', transfers([0, 0.1, 1e7], [0.001, 0.101, 1e5], [0.002, 0.101, 1e5])],
    [
      'the link was declared far slower than it is',
      transfers([0, 0.001, 1e7], [0.0001, 0.0005, 4], [0.0009, 0.0012, 4]),
    ],
  ])('is left as it was where %s', (_, profile) => {
    expect(delaysOf(inSendingOrder(profile, WHOLE))).toEqual(delaysOf(profile));
  });

  it('is another where a small one was sent before a large one that was asked for first', () => {
    const profile = transfers([0, 0.100_3, 1e7], [0.0001, 0.0002, 8]);
    expect(delaysOf(inSendingOrder(profile, WHOLE))).toEqual([[0.0001 + 1e-9, 0.0001]]);
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
    expect(delaysOf(inSendingOrder(late, WHOLE))).toEqual(delaysOf(recorded));
  });

  it('is left to the moments of requests where nothing is known of these', () => {
    expect(delaysOf(inSendingOrder(modelOf([4e6, 4], 1), WHOLE))).toEqual([undefined, undefined]);
  });
});
