import type { PipelinePlan } from '../../model/plan.ts';
import type { ComparedChange } from '../../tuning/comparison.ts';

export interface PlanComparison {
  readonly schemaVersion: 1;
  readonly plans: readonly { readonly path: string; readonly plan: PipelinePlan }[];
  readonly operators: readonly ComparedChange[];
}
