import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capacityOf, LEAST_LARGE_SLOT_BYTES, plainShape, shapeOf, withSpares } from './channel-shape.ts';

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
