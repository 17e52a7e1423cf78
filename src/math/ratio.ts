import type { Interval } from './statistics.ts';
import { studentQuantile } from './student.ts';

/** What was counted together in one part of a sample: a file, a stretch of time. */
export interface Pair {
  readonly y: number;
  readonly x: number;
}

/**
 * Σy / Σx over the parts of a sample, with the interval of the same ratio over the whole population (Cochran, Sampling
 * Techniques, §6.4 and §7.2): Var r = (1 − f) Σ(y − r x)² / ((n − 1) n x̄²). `sampled` is f, the part of the population
 * that the sample is: at 1 nothing is left to guess. Below two parts nothing bounds it.
 */
export function ratioEstimate(pairs: readonly Pair[], confidence: number, sampled = 0): Interval {
  const used = pairs.filter(({ x }) => x > 0);
  const count = used.length;
  const sumX = used.reduce((sum, { x }) => sum + x, 0);
  const sumY = used.reduce((sum, { y }) => sum + y, 0);
  const estimate = sumY / sumX;
  if (sampled >= 1) return { estimate, low: estimate, high: estimate, confidence };
  if (count < 2) return { estimate, low: 0, high: Number.POSITIVE_INFINITY, confidence };
  const squares = used.reduce((sum, { x, y }) => sum + (y - estimate * x) ** 2, 0);
  const meanX = sumX / count;
  const error = Math.sqrt(((1 - sampled) * squares) / (count - 1) / count) / meanX;
  const half = studentQuantile((1 + confidence) / 2, count - 1) * error;
  return { estimate, low: Math.max(0, estimate - half), high: estimate + half, confidence };
}
