import type { Interval } from './statistics.ts';
import { studentQuantile } from './student.ts';

/** Two totals over one part of a sample: a file, or an interval of time. */
export interface Pair {
  readonly y: number;
  readonly x: number;
}

/** part / whole, and 0 where the whole is 0. */
export const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

/**
 * Ratio estimate Σy / Σx over the parts of a sample, with a confidence interval for the whole population.
 *
 * The variance is the jackknife's (the ratios without each part in turn). The linear approximation (Cochran, Sampling
 * Techniques, §6.4) covers the truth too rarely where parts differ much in size. For the same reason Student's t gets the
 * effective number of parts, (Σx)² / Σx². `sampled` is the sampling fraction: at 1 the interval has no width. With
 * fewer than two parts it is unbounded.
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
