import { type Pair, ratioEstimate } from '../../math/ratio.ts';
import type { Interval } from '../../math/statistics.ts';
import { sumOf } from '../../math/totals.ts';
import { exactly, product } from './estimate.ts';

/** A part of a source that was read: a file, or an interval of time. */
export interface SourceSample {
  /** Bytes, or any other measure of how much of the source it is. */
  readonly bytes: number;
  readonly records: number;
}

/**
 * Records in a source of which all files' sizes are known and some were read: Σ bytes of all · records per byte of those
 * read (Plumber scales the number of files instead, and is off by how much their sizes differ). The interval is that of
 * the ratio, with the correction for what was read already.
 */
export function sourceRecords(totalBytes: number, samples: readonly SourceSample[], confidence: number): Interval {
  const pairs: Pair[] = samples.map(({ bytes, records }) => ({ x: bytes, y: records }));
  // Whole, but for the samples' parts: all of it is all of it.
  const read = Math.round(sumOf(samples, ({ bytes }) => bytes));
  return product(ratioEstimate(pairs, confidence, read / totalBytes), exactly(totalBytes));
}
