import type { Interval } from './statistics.ts';
import { studentQuantile } from './student.ts';

/** What was counted together in one part of a sample: a file, a stretch of time. */
export interface Pair {
  readonly y: number;
  readonly x: number;
}

/** A part of a whole; none of nothing. */
export const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

/**
 * Σy / Σx over the parts of a sample, with the interval of the same ratio over the whole population. Its variance is the
 * jackknife's, from the ratios without each part in turn: with parts of very different size, the textbook's linear one
 * (Cochran, Sampling Techniques, §6.4) holds too rarely. For the same reason Student's t is given (Σx)² / Σx² parts, the
 * number of equal ones they are worth. `sampled` is the part of the population that the sample is: at 1 nothing is left
 * to guess. Below two parts nothing bounds it.
 */
export function ratioEstimate(pairs: readonly Pair[], confidence: number, sampled = 0): Interval {
  const used = pairs.filter(({ x }) => x > 0);
  const count = used.length;
  const sumX = used.reduce((sum, { x }) => sum + x, 0);
  const sumY = used.reduce((sum, { y }) => sum + y, 0);
  const estimate = sumY / sumX;
  if (sampled >= 1) return { estimate, low: estimate, high: estimate, confidence };
  if (count < 2) return { estimate, low: 0, high: Number.POSITIVE_INFINITY, confidence };
  const squares = used.reduce((sum, { x, y }) => sum + ((sumY - y) / (sumX - x) - estimate) ** 2, 0);
  const error = Math.sqrt((1 - sampled) * squares * (1 - 1 / count));
  const equal = sumX ** 2 / used.reduce((sum, { x }) => sum + x * x, 0);
  const half = studentQuantile((1 + confidence) / 2, Math.max(1, equal - 1)) * error;
  return { estimate, low: Math.max(0, estimate - half), high: estimate + half, confidence };
}
