import type { TunedPlan } from '../../../../tuning/plan.ts';
import type { RuleName } from '../../../../tuning/rules/rule.ts';

/** What a plan can run into that the pipeline alone does not. */
export const CANNOT_RUN = new Set([
  'VENTURI_NOT_CLONEABLE',
  'VENTURI_CACHE_FULL',
  'VENTURI_BUDGET_TOO_SMALL',
  'VENTURI_CACHE_UNKEYED',
  'VENTURI_RUN_TOO_SHORT',
  'VENTURI_RUN_EMPTY',
]);

/** What to leave out of a plan that could not be run; undefined where nothing is left to blame. */
export function nextToDrop({ changes }: TunedPlan): RuleName[] | undefined {
  const kinds = new Set(changes.map(({ action }) => action.kind));
  if (kinds.has('cache')) return ['cache'];
  if (kinds.has('divide')) return ['sources', 'outer'];
  return kinds.has('prefetch') ? ['prefetch'] : undefined;
}
