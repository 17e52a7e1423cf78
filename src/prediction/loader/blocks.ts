/**
 * Blocks of consecutive batches that a recording is divided into. Consecutive batches are correlated: a machine is faster for a while,
 * then slower, so that blocks differ as runs do. Number of blocks: an even number with five degrees of freedom for their variance,
 * beyond which Student's t hardly falls (2.0 at a confidence of 90 %, 1.6 with infinitely many).
 */
export const BLOCKS = 6;
/** Batches that an estimate is made from, at least, and so a block: the fewest whose median leaves out an outlier on either side. */
export const FEWEST_BATCHES = 4;

/** Number of batches that fill all blocks. With fewer, a forecast is a guess. */
export const ENOUGH_BATCHES = BLOCKS * FEWEST_BATCHES;

/** Number of blocks of so many batches, from 1 to BLOCKS. */
export const blockCount = (batches: number): number =>
  Math.max(1, Math.min(BLOCKS, Math.floor(batches / FEWEST_BATCHES)));

/** Values of one of `count` blocks; all of them where there are fewer values than blocks. */
export function blockOf<T>(values: readonly T[], block: number, count: number): readonly T[] {
  const start = (number: number): number => Math.floor((number * values.length) / count);
  const part = values.slice(start(block), start(block + 1));
  return part.length === 0 ? values : part;
}

/** All blocks of a recording's values. */
export function blocksOf<T>(values: readonly T[]): (readonly T[])[] {
  const count = blockCount(values.length);
  return Array.from({ length: count }, (_, block) => blockOf(values, block, count));
}
