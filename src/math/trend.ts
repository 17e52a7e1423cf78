import { type Interval, quantile } from './statistics.ts';
import { normalQuantile } from './student.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * Theil–Sen estimate of a slope: the median of the slopes between all pairs of points, which a few outliers do not move.
 * Its confidence interval (Sen, 1968) leaves out (N - z·σ) / 2 of the N sorted slopes at either end, where
 * σ² = n(n - 1)(2n + 5) / 18 is the variance of Kendall's statistic.
 */
export function slopeInterval(points: readonly Point[], confidence: number): Interval {
  const n = points.length;
  const slopes: number[] = [];
  for (const [at, from] of points.entries()) {
    for (const to of points.slice(at + 1)) if (to.x !== from.x) slopes.push((to.y - from.y) / (to.x - from.x));
  }
  slopes.sort((a, b) => a - b);
  const spread = normalQuantile((1 + confidence) / 2) * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const below = Math.floor((slopes.length - spread) / 2);
  // With few points even the range of all slopes has less than the confidence asked for: the interval is unbounded.
  const isHeld = below >= 0;
  return {
    estimate: quantile(slopes, 0.5),
    low: isHeld ? (slopes[below] ?? Number.NaN) : Number.NEGATIVE_INFINITY,
    high: isHeld ? (slopes[slopes.length - 1 - below] ?? Number.NaN) : Number.POSITIVE_INFINITY,
    confidence,
  };
}
