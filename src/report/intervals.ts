import { NS_PER_SECOND } from '../model/units.ts';
import { decimal, interval, percent, rate, timeInterval } from './format.ts';

interface Ends {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

const isBounded = ({ low, high }: Ends): boolean => Number.isFinite(low) && Number.isFinite(high);

/** A value with its interval, `41 ± 2`; the value alone where nothing bounds it. */
export const within = (of: Ends): string =>
  isBounded(of) ? interval(of.estimate, of.low, of.high) : decimal(of.estimate);

/** A time with its interval. `of`: in seconds. */
export const timeWithin = ({ estimate, low, high }: Ends): string =>
  timeInterval(estimate * NS_PER_SECOND, low * NS_PER_SECOND, Math.min(high, 1e6) * NS_PER_SECOND);

/** A rate with its interval, for a column: `41.0/s ± 5 %`, or its ends where it is lopsided. */
export function rateWithin({ estimate, low, high }: Ends): string {
  const half = (high - low) / 2;
  if (!Number.isFinite(half) || half < 0.005 * estimate) return rate(estimate);
  if (Math.abs(high + low - 2 * estimate) > 0.4 * half) return `${rate(estimate)} (${rate(low)} to ${rate(high)})`;
  return `${rate(estimate)} ± ${percent(half / estimate)}`;
}

/** The ends of a rate's interval: `38.0/s to 44.0/s`. */
export const rateRange = ({ low, high }: Pick<Ends, 'low' | 'high'>): string => `${rate(low)} to ${rate(high)}`;

/** The same, to follow the rate; nothing where nothing bounds it, or where it is narrower than the digits shown. */
export const rateBand = (of: Ends): string =>
  isBounded(of) && of.high - of.low >= 0.01 * of.estimate ? ` (${rateRange(of)})` : '';
