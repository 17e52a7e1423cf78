import type { Interval } from '../../math/statistics.ts';
import { sumOf } from '../../math/totals.ts';

/** An estimate that is known: its interval has no width. */
export const exactly = (value: number): Interval => ({ estimate: value, low: value, high: value, confidence: 1 });

/** It may be any amount more than its estimate. */
export const isOpen = ({ estimate, high }: Interval): boolean =>
  high === Number.POSITIVE_INFINITY && Number.isFinite(estimate);

/** Relative half-width; infinite for an interval without a bound. */
const relativeError = ({ estimate, low, high }: Interval): number =>
  estimate > 0 && estimate < Number.POSITIVE_INFINITY ? (high - low) / (2 * estimate) : 0;

/** Product of two estimates with independent errors. */
export function product(a: Interval, b: Interval): Interval {
  const estimate = a.estimate * b.estimate;
  const confidence = Math.min(a.confidence, b.confidence);
  if (!Number.isFinite(estimate)) return { estimate, low: estimate, high: estimate, confidence };
  if (isOpen(a) || isOpen(b)) return { estimate, low: a.low * b.low, high: Number.POSITIVE_INFINITY, confidence };
  const error = Math.hypot(relativeError(a), relativeError(b));
  return { estimate, low: estimate * Math.max(0, 1 - error), high: estimate * (1 + error), confidence };
}

/** Sum of estimates with independent errors. */
export function sum(parts: readonly Interval[]): Interval {
  const estimate = sumOf(parts, part => part.estimate);
  const error = Math.hypot(...parts.map(({ low, high }) => (Number.isFinite(high) ? (high - low) / 2 : 0)));
  const confidence = Math.min(1, ...parts.map(part => part.confidence));
  if (parts.some(isOpen)) {
    const low = sumOf(parts, part => part.low);
    return { estimate, low, high: Number.POSITIVE_INFINITY, confidence };
  }
  return { estimate, low: Math.max(0, estimate - error), high: estimate + error, confidence };
}

export const mapped = ({ estimate, low, high, confidence }: Interval, by: (value: number) => number): Interval => ({
  estimate: by(estimate),
  low: by(low),
  high: by(high),
  confidence,
});

/** The one with the smallest estimate; undefined of none. */
export const fewest = (all: readonly Interval[]): Interval | undefined =>
  all.reduce<Interval | undefined>((a, b) => (a === undefined || b.estimate < a.estimate ? b : a), undefined);
