import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCKS, blockCount, blocksOf, ENOUGH_BATCHES, FEWEST_BATCHES } from './blocks.ts';

describe('blocks of a recording', () => {
  it('hold every batch once, in order, and differ by one batch at most', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 200 }), batches => {
        const blocks = blocksOf(batches);
        expect(blocks.flat()).toEqual(batches);
        const lengths = blocks.map(({ length }) => length);
        expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
        if (blocks.length > 1) expect(Math.min(...lengths)).toBeGreaterThanOrEqual(FEWEST_BATCHES);
      }),
    );
  });

  it('are as many as there are batches for, up to a limit', () => {
    expect([0, 1, FEWEST_BATCHES, 2 * FEWEST_BATCHES].map(blockCount)).toEqual([1, 1, 1, 2]);
    expect([ENOUGH_BATCHES - 1, ENOUGH_BATCHES, 100 * ENOUGH_BATCHES].map(blockCount)).toEqual([
      BLOCKS - 1,
      BLOCKS,
      BLOCKS,
    ]);
  });
});
