import type { TriedPlan } from './result.ts';

/** How often plans that came close to each other are measured again, and for which part of a trial's time. */
export const TIMES_AGAIN = 2;
export const SHARE_OF_AGAIN = 0.5;
/** A plan that reached this part of the best may be the better one. */
const CLOSE = 0.75;

/** The best and those that came close to it, by their places, the best first. */
export function contendersOf(tried: readonly TriedPlan[]): readonly number[] {
  const best = Math.max(...tried.map(rateOf));
  return tried
    .flatMap((each, at) => (rateOf(each) >= CLOSE * best ? [at] : []))
    .sort((a, b) => rateOf(tried[b]) - rateOf(tried[a]));
}

/** Of several measurements of a plan, the one in the middle; of two in the middle the slower. */
export const middle = (measured: readonly TriedPlan[]): TriedPlan | undefined =>
  measured.toSorted((a, b) => rateOf(a) - rateOf(b))[(measured.length - 1) >> 1];

const rateOf = (tried: TriedPlan | undefined): number => tried?.measured.estimate ?? 0;
