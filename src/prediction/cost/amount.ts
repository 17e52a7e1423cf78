import type { Interval } from '../../math/statistics.ts';

/** An estimate with the ends of its interval; all finite, so that it survives JSON. */
export interface Amount {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** Which of the three is meant. */
export type AmountEnd = keyof Amount;

export const NOTHING: Amount = { estimate: 0, low: 0, high: 0 };

export const exactly = (value: number): Amount => ({ estimate: value, low: value, high: value });

const finite = (value: number): number => (Number.isFinite(value) ? value : Number.MAX_VALUE);

export const amountOf = ({ estimate, low, high }: Pick<Interval, AmountEnd>): Amount => ({
  estimate: finite(estimate),
  low: finite(low),
  high: finite(high),
});

export const scaled = ({ estimate, low, high }: Amount, factor: number): Amount => ({
  estimate: estimate * factor,
  low: low * factor,
  high: finite(high * factor),
});

/** The end of a demand that leads to this end of a rate: what takes longest is slowest. */
export const demandEnd = (end: AmountEnd): AmountEnd => (end === 'low' ? 'high' : end === 'high' ? 'low' : 'estimate');
