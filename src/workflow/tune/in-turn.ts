import type { TriedPlan } from './result.ts';

/** How often plans that came close to each other are measured again, and for which part of a trial's time. */
export const TIMES_AGAIN = 2;
export const SHARE_OF_AGAIN = 0.5;
/** A plan that reached this part of the best may be the better one. */
const CLOSE = 0.75;

/** The best two, by their places, where the second came close to the first. */
export function contendersOf(tried: readonly TriedPlan[]): readonly number[] {
  const [first, second] = tried.map((_, at) => at).sort((a, b) => rateOf(tried[b]) - rateOf(tried[a]));
  return first !== undefined && second !== undefined && rateOf(tried[second]) >= CLOSE * rateOf(tried[first])
    ? [first, second]
    : [];
}

/** Of several measurements of a plan, the one in the middle; of two in the middle the slower. */
export const middle = (measured: readonly TriedPlan[]): TriedPlan | undefined =>
  measured.toSorted((a, b) => rateOf(a) - rateOf(b))[(measured.length - 1) >> 1];

const rateOf = (tried: TriedPlan | undefined): number => tried?.measured.estimate ?? 0;
