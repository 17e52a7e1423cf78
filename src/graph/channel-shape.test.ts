import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChannelSizing } from '../model/graph.ts';
import {
  capacityOf,
  LEAST_LARGE_SLOT_BYTES,
  leastMemory,
  memoryToPassWhole,
  plainShape,
  shapeOf,
  sizeChannels,
  withSpares,
} from './channel-shape.ts';

const MIB = 2 ** 20;

describe('blocks that a consumer may keep', () => {
  it('leave large slots as large as they were where the consumer has memory for two', () => {
    const shape = shapeOf(4, 128 * MIB);
    const { shape: lent, spares } = withSpares(shape, 3 * shape.largeSlotBytes);
    expect(lent).toEqual(shape);
    expect(spares).toBe(3);
  });

  it('are two at least and four at most, and no more memory than the channel and its consumer have', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 40 * LEAST_LARGE_SLOT_BYTES, max: 4096 * MIB }),
        fc.integer({ min: 0, max: 4096 * MIB }),
        fc.constantFrom(shapeOf, plainShape),
        (largeSlots, bytes, held, shaped) => {
          const shape = shaped(largeSlots, bytes);
          const { shape: lent, spares } = withSpares(shape, held);
          expect(spares).toBeGreaterThanOrEqual(2);
          expect(spares).toBeLessThanOrEqual(4);
          expect(lent.largeSlotBytes).toBeGreaterThanOrEqual(LEAST_LARGE_SLOT_BYTES);
          expect(lent.largeSlotBytes).toBeLessThanOrEqual(shape.largeSlotBytes);
          if (lent.largeSlotBytes === LEAST_LARGE_SLOT_BYTES) return;
          expect(capacityOf(lent) + spares * lent.largeSlotBytes).toBeLessThanOrEqual(capacityOf(shape) + held);
        },
      ),
    );
  });
});

const sizing: fc.Arbitrary<ChannelSizing> = fc.record(
  {
    largeSlots: fc.integer({ min: 1, max: 70 }),
    counted: fc.boolean(),
    lends: fc.boolean(),
    mostElements: fc.integer({ min: 1, max: 5000 }),
  },
  { requiredKeys: ['largeSlots', 'counted', 'lends'] },
);

describe('memory with which chunks pass whole', () => {
  it('is enough, and no less of two digits is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(sizing, fc.integer({ min: 0, max: 64 * MIB })), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 1, max: 100, noNaN: true }),
        (channels, lanes, times) => {
          const sizings = channels.map(([each]) => each);
          const chunks = channels.map(([, bytes]) => bytes);
          const memory = Math.ceil(leastMemory(sizings) * times);
          const passes = (bytes: number): boolean =>
            sizeChannels(sizings, bytes, lanes).every(({ shape }, at) => shape.largeSlotBytes >= (chunks[at] ?? 0));
          const needed = memoryToPassWhole({ sizings, lanes, memory }, chunks) ?? Number.NaN;
          expect(passes(needed)).toBe(true);
          if (needed === memory) return;
          expect(Number(needed.toPrecision(2))).toBe(needed);
          const digit = 10 ** (Math.floor(Math.log10(needed)) - 1);
          expect(needed - digit <= memory || !passes(needed - digit)).toBe(true);
        },
      ),
    );
  });

  it('is what the guide says of batches of 64 photographs', () => {
    const chunks = [0, 64 * 3 * 224 * 224 * 4];
    const needed = (lanes: number): number | undefined => {
      const channel = { largeSlots: 2 * lanes + 2, counted: false, lends: false };
      return memoryToPassWhole(
        { sizings: [channel, { ...channel, lends: true }], lanes: lanes + 1, memory: 2 ** 28 },
        chunks,
      );
    };
    expect([needed(16), needed(1)]).toEqual([5.3e9, 0.64e9]);
  });

  it('is none for chunks that no slot holds', () => {
    const sizings = [{ largeSlots: 4, counted: false, lends: false }];
    expect(memoryToPassWhole({ sizings, lanes: 1, memory: 2 ** 28 }, [64 * MIB + 1])).toBeUndefined();
  });
});
