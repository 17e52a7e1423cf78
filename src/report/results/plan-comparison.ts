import type { Plan } from '../../model/plan.ts';
import type { ComparedChange } from '../../tuning/comparison.ts';

export interface PlanComparison {
  readonly schemaVersion: 1;
  readonly plans: readonly { readonly path: string; readonly plan: Plan }[];
  readonly operators: readonly ComparedChange[];
}
