import type { Action, WrittenPlan } from './plan.ts';
import type { PlanLimits } from './plan-limits.ts';

/** What of a plan a run needs. Apart from the plan's schema, which every thread of a run would load. */
export interface AppliedPlan {
  /** Undefined: whoever made it knows that it fits. */
  readonly shape: string | undefined;
  readonly actions: readonly (Action | Truncation)[];
  /** Undefined: whoever made it knows what this machine bears. */
  readonly limits?: PlanLimits | undefined;
}

/** For looking at a pipeline, never part of a plan: only the first elements of an operator, or nothing behind it. */
export type Truncation =
  | { readonly kind: 'sample'; readonly operator: string; readonly elements: number }
  | { readonly kind: 'end'; readonly operator: string };

export const appliedPlan = ({ pipeline, changes }: WrittenPlan, limits?: PlanLimits): AppliedPlan => ({
  shape: pipeline.shape,
  actions: changes.map(({ action }) => action),
  limits,
});
