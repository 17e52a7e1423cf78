import { SAME } from '../prediction/thresholds.ts';
import { meanRate } from './cold.ts';
import type { Draft } from './draft.ts';
import type { Circumstances } from './rules/rule.ts';
import { SPARING } from './thresholds.ts';

/** Elements per second over all passes, as far as they are wanted: the first one fills a cache, where there is one. */
export function worth(draft: Draft, { target, passes }: Circumstances): number {
  let { rate } = draft.evaluation;
  for (const { action } of draft.steps) {
    if (action.kind !== 'cache') continue;
    rate = meanRate(draft.coldRate, rate, passes(action.operator));
  }
  return Math.min(rate, target ?? Number.POSITIVE_INFINITY);
}

/** A draft is better if it delivers more, by `margin` at least, or as much with fewer lanes or changes. */
export function isBetter(a: Draft, b: Draft, circumstances: Circumstances, margin = SAME): boolean {
  const [one, other] = [worth(a, circumstances), worth(b, circumstances)];
  const [its, others] = [a.lanes, b.lanes];
  const forThreads = circumstances.threads === 'sparing' ? SPARING : SAME;
  if (one > other * (1 + (its > others ? Math.max(margin, forThreads) : margin))) return true;
  if (one < other * (1 - (its < others ? forThreads : SAME))) return false;
  return its < others || (its === others && a.steps.length < b.steps.length && one >= other * (1 - SAME / 2));
}
