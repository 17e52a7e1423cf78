/**
 * The odds of a sampling profiler (Lotus §IV-B): a function that takes `span` per run is hit with probability span/interval by
 * each run, so n runs capture it with C = 1 - (1 - span/interval)^n.
 */
export function captureProbability(span: number, interval: number, runs: number): number {
  const each = Math.min(1, Math.max(0, span / interval));
  return 1 - (1 - each) ** runs;
}

/** Runs after which a function of that span is captured with at least this probability; Infinity where none suffice. */
export function runsFor(span: number, interval: number, probability: number): number {
  if (span >= interval) return 1;
  if (!(span > 0)) return Number.POSITIVE_INFINITY;
  return Math.ceil(Math.log(1 - probability) / Math.log(1 - span / interval));
}

/** The shortest function that so many runs capture with at least this probability. */
export const shortestCaptured = (interval: number, runs: number, probability: number): number =>
  runs > 0 ? interval * (1 - (1 - probability) ** (1 / runs)) : Number.POSITIVE_INFINITY;
