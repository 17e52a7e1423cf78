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
  return quantile(ascend(values), 0.5);
}

/**
 * The median and its interval from order statistics: no assumption about the values' distribution. How many of n
 * values fall below the true median is binomial(n, 1/2), so the k-th smallest and k-th largest enclose it with
 * probability 1 - 2 P(B < k). The narrowest such pair that reaches `confidence` is taken.
 */
export function medianInterval(values: readonly number[], confidence: number): Interval {
  const ascending = ascend(values);
  const count = ascending.length;
  const estimate = quantile(ascending, 0.5);
  // P(B = 0), then P(B = k) from P(B = k - 1). As logarithms, for 2^-n underflows beyond a thousand values.
  let log = -count * Math.LN2;
  let tail = Math.exp(log);
  let rank = 1;
  while (2 * (rank + 1) <= count + 1) {
    log += Math.log((count - rank + 1) / rank);
    const further = tail + Math.exp(log);
    if (1 - 2 * further < confidence) break;
    tail = further;
    rank++;
  }
  return {
    estimate,
    low: ascending[rank - 1] ?? Number.NaN,
    high: ascending[count - rank] ?? Number.NaN,
    confidence: Math.max(0, 1 - 2 * tail),
  };
}

/**
 * The ratio of two samples' medians, measured independently of each other and positive. Each median's interval gets half
 * of the permitted error, so both hold together with at least `confidence` (Bonferroni). For paired measurements, take
 * `medianInterval` of the pairs' ratios instead: it is narrower.
 */
export function ratioInterval(
  numerators: readonly number[],
  denominators: readonly number[],
  confidence: number,
): Interval {
  const each = (1 + confidence) / 2;
  const top = medianInterval(numerators, each);
  const bottom = medianInterval(denominators, each);
  return {
    estimate: top.estimate / bottom.estimate,
    low: top.low / bottom.high,
    high: top.high / bottom.low,
    confidence: Math.max(0, top.confidence + bottom.confidence - 1),
  };
}

function ascend(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}
