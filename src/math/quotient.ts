import type { Interval } from './statistics.ts';

/**
 * The quotient of two estimates with independent errors, on the logarithmic scale, where it is a difference: relative
 * half-widths add as squares. Unbounded where one of the two is.
 */
export function quotient(top: Interval, bottom: Interval): Interval {
  const estimate = top.estimate / bottom.estimate;
  const width = (interval: Interval, end: 'low' | 'high'): number =>
    interval[end] > 0 ? Math.abs(Math.log(interval[end] / interval.estimate)) : Number.POSITIVE_INFINITY;
  const down = Math.hypot(width(top, 'low'), width(bottom, 'high'));
  const up = Math.hypot(width(top, 'high'), width(bottom, 'low'));
  return {
    estimate,
    low: estimate * Math.exp(-down),
    high: estimate * Math.exp(up),
    confidence: Math.min(top.confidence, bottom.confidence),
  };
}
