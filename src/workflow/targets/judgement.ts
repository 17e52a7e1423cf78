import { quotientInTurn, repeated } from '../../math/repeated.ts';
import type { Interval } from '../../math/statistics.ts';
import { SAME } from '../../prediction/thresholds.ts';
import type { Unchanged } from '../../report/results/tuning.ts';

/** What something came to in one round of measurements. In round 0 everything is measured once, one after the other. */
export interface Timed {
  readonly round: number;
  readonly measured: Interval;
}

/** What is known of a plan when it is to be judged. */
export interface Judged {
  readonly measured: Interval;
  /** In parts of the rate of the pipeline as it is. */
  readonly gained: Interval;
  readonly lanes: number;
  /** What all passes come to, in parts of what is measured: less than 1 where a cache has to be filled first. */
  readonly ofPasses: number;
}

/** Largest ratio of two rates of the same, measured one after the other where nobody disturbs. A judgement, until both are measured twice. */
export const STEADY = 1.3;

/** How often what may be the best is measured again, in turn with the program as it is: at least, and where it stays open whether it is faster. */
export const LEAST_AGAIN = 1;
/** With the first, five measurements: Student's t at 90 % is 2.1 then, down from 6.3 for two, and another one lowers it to 2.0. */
export const MOST_AGAIN = 4;

/** What came so near the best may be the better one, when both are measured again. */
export const isNear = (rate: number, best: number): boolean => STEADY * rate >= best;

/**
 * What a plan gained: the mean of its measurements by those of the pipeline as it is, and the interval of that, from rounds in which
 * both were measured. One such round says nothing of what varies from run to run, so that is allowed for.
 */
export function gainOf(times: readonly Timed[], asItIs: readonly Timed[]): Interval {
  const pairs = times.flatMap(({ round, measured: top }) => {
    const bottom = asItIs.find(each => each.round === round)?.measured;
    return bottom === undefined ? [] : [{ top, bottom }];
  });
  const estimate = meanOf(times).estimate / meanOf(asItIs).estimate;
  const paired = quotientInTurn(pairs);
  const allowance = pairs.length === 1 ? STEADY : 1;
  return {
    estimate,
    low: (estimate * paired.low) / paired.estimate / allowance,
    high: ((estimate * paired.high) / paired.estimate) * allowance,
    confidence: paired.confidence,
  };
}

export const meanOf = (times: readonly Timed[]): Interval => repeated(times.map(({ measured }) => measured));

/** A plan is faster for certain: also at the low end of what was measured, and when all passes are counted. */
const isCertain = ({ gained, ofPasses }: Judged): boolean => gained.low * ofPasses > 1;

const isFaster = ({ gained, ofPasses }: Judged): boolean => gained.estimate * ofPasses > 1 + SAME;

/** More rounds may tell: a plan seems to be faster, and none is for certain. */
export const isOpen = (plans: readonly Judged[]): boolean =>
  plans.some(plan => isFaster(plan)) && !plans.some(plan => isFaster(plan) && isCertain(plan));

/**
 * The plan to take, by its place: the fastest of those that are faster for certain, as far as a target asks for it, and of equals the
 * one with the fewest lanes. Whatever was predicted has no part in it.
 */
export function judge(
  plans: readonly Judged[],
  before: Interval,
  target: number = Number.POSITIVE_INFINITY,
): { readonly best: number } | { readonly unchanged: Unchanged } {
  const enough = (rate: number): number => Math.min(rate, target);
  const isMore = ({ measured }: Judged): boolean => enough(measured.estimate) > (1 + SAME) * enough(before.estimate);
  const order = [...plans.keys()].sort((a, b) => {
    const [one, other] = [plans[a], plans[b]];
    if (one === undefined || other === undefined) return 0;
    const [its, others] = [one, other].map(({ measured, ofPasses }) => enough(measured.estimate * ofPasses));
    return (others ?? 0) - (its ?? 0) || one.lanes - other.lanes;
  });
  const inOrder = order.flatMap(at => plans[at] ?? []);
  const best = order.find(at => {
    const plan = plans[at];
    return plan !== undefined && isMore(plan) && isFaster(plan) && isCertain(plan);
  });
  if (best !== undefined) return { best };
  if (before.estimate >= target) return { unchanged: 'enough' };
  const [top] = inOrder;
  if (top === undefined) return { unchanged: 'nothing-tried' };
  if (isFaster(top) && isMore(top)) return { unchanged: 'not-certain' };
  return { unchanged: inOrder.some(({ gained }) => gained.low > 1) ? 'does-not-pay' : 'not-faster' };
}
