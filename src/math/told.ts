import type { Interval } from './statistics.ts';

/** An interval whose upper end is more than so many times its lower one is no forecast. */
const WIDEST = 3;

/** Whether a forecast says anything. */
export const isTold = ({ low, high }: Pick<Interval, 'low' | 'high'>): boolean => low > 0 && high <= WIDEST * low;

/** A forecast that says nothing has no estimate: NaN, which is `null` in JSON. Its ends stay, to say how wide it is. */
export const told = (interval: Interval): Interval =>
  isTold(interval) ? interval : { ...interval, estimate: Number.NaN };
