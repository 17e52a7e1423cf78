import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Flow } from './flow.ts';

const NONE_IN_PARTS = { chunks: 0, bytes: 0, largest: 0 };

describe('what a channel has been through', () => {
  /** Moments as numbers on paper. */
  const flow = (...moments: [number, boolean][]): Flow => {
    const made = new Flow();
    for (const [moment, full] of moments) made.add(moment, 100, full);
    return made;
  };

  it('is exact at any moment', () => {
    // One slot: filled from 10 to 30, and again from 50 on.
    const committed = flow([10, true], [50, true]);
    const released = flow([30, true]);
    expect(Flow.reading('c', [committed], [released], 80)).toEqual({
      id: 'c',
      queued: 1,
      occupancy: 50,
      saturated: 50,
      transport: 0,
      chunks: 2,
      bytes: 200,
      inParts: NONE_IN_PARTS,
    });
  });

  it('has the largest of the chunks that went in parts in any lane', () => {
    const flows = [new Flow(), new Flow()];
    flows[0]?.wentInParts(300);
    flows[1]?.wentInParts(500);
    flows[1]?.wentInParts(400);
    expect(Flow.reading('c', flows, [], 0).inParts).toEqual({ chunks: 3, bytes: 1200, largest: 500 });
  });

  it('adds up over lanes', () => {
    // Two slots: chunks from 10 to 40 and from 20 to 25; full from 20 to 25.
    const reading = Flow.reading(
      'c',
      [flow([10, false]), flow([20, true])],
      [flow([25, true]), flow([40, false])],
      100,
    );
    expect(reading).toEqual({
      ...{ id: 'c', queued: 0, occupancy: 35, saturated: 5, transport: 0, chunks: 2, bytes: 200 },
      inParts: NONE_IN_PARTS,
    });
  });

  it('agrees with a count kept step by step', () => {
    const step = fc.record({ put: fc.boolean(), after: fc.integer({ min: 1, max: 100 }) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (slots, steps) => {
        const [committed, released] = [new Flow(), new Flow()];
        let [now, queued, occupancy, saturated, chunks] = [0, 0, 0, 0, 0];
        for (const { put, after } of steps) {
          now += after;
          occupancy += queued * after;
          if (queued === slots) saturated += after;
          if (put && queued < slots) committed.add(now, ++chunks, ++queued === slots);
          else if (!put && queued > 0) released.add(now, 1, queued-- === slots);
        }
        expect(Flow.reading('c', [committed], [released], now)).toEqual({
          id: 'c',
          queued,
          occupancy,
          saturated,
          transport: 0,
          chunks,
          bytes: (chunks * (chunks + 1)) / 2,
          inParts: NONE_IN_PARTS,
        });
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});
