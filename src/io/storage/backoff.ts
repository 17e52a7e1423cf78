const FIRST_MS = 100;
const MOST_MS = 20_000;

/**
 * How long to wait before the `attempt`-th repetition, from 1: twice as long each time, and a random share of that, so
 * that many readers which failed together do not come back together. A server's Retry-After is kept to, up to a limit.
 */
export function backoffMs(
  attempt: number,
  retryAfterMs: number | undefined,
  maxRetryAfterMs: number,
  random: () => number,
): number {
  const most = Math.min(MOST_MS, FIRST_MS * 2 ** (attempt - 1));
  const own = most * (0.5 + random() / 2);
  return Math.max(own, Math.min(maxRetryAfterMs, retryAfterMs ?? 0));
}

/** Retry-After holds seconds or a date. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
