import { type Interval, quantile } from './statistics.ts';
import { normalQuantile } from './student.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The slope of a line through points, as Theil and Sen have it: the median of the slopes of all pairs, which a few points
 * far off do not move. Its interval, after Sen, holds that many of the slopes to either side as chance would let Kendall's
 * statistic differ from zero.
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
  // With few points not even the whole range holds that much.
  const isHeld = below >= 0;
  return {
    estimate: quantile(slopes, 0.5),
    low: isHeld ? (slopes[below] ?? Number.NaN) : Number.NEGATIVE_INFINITY,
    high: isHeld ? (slopes[slopes.length - 1 - below] ?? Number.NaN) : Number.POSITIVE_INFINITY,
    confidence,
  };
}
