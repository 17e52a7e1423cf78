/** Confidence of the intervals that are told, two-sided, 0 to 1: a usual level in performance analysis (Jain, 1991, ch. 13). */
export const CONFIDENCE = 0.9;

/** An estimate and the range that holds the true value with the given confidence. */
export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** The confidence really reached: with few values even the whole range may hold less than was asked for. */
  readonly confidence: number;
}

export const scaledBy = ({ estimate, low, high, confidence }: Interval, factor: number): Interval => ({
  estimate: estimate * factor,
  low: low * factor,
  high: high * factor,
  confidence,
});

export function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Sample standard deviation: with n - 1, NaN below two values. */
export function standardDeviation(values: readonly number[]): number {
  const centre = mean(values);
  let squares = 0;
  for (const value of values) squares += (value - centre) ** 2;
  return values.length < 2 ? Number.NaN : Math.sqrt(squares / (values.length - 1));
}

/** Quantile of an ascending sample, interpolated between neighbours (Hyndman and Fan's type 7). NaN where it is empty. */
export function quantile(ascending: readonly number[], p: number): number {
  const position = p * (ascending.length - 1);
  const below = Math.floor(position);
  const low = ascending[below] ?? Number.NaN;
  const high = ascending[below + 1] ?? low;
  return low + (high - low) * (position - below);
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
