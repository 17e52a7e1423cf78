import { VenturiError } from '../model/errors.ts';
import type { PlanComparison } from '../report/results/plan-comparison.ts';
import { compareActions } from '../tuning/comparison.ts';
import { loadPlan } from './plan-file.ts';
import { refuseLessThanTwo } from './refusals.ts';

/** Plans of one pipeline, side by side. */
export function comparePlans(paths: readonly string[]): PlanComparison {
  refuseLessThanTwo(paths, 'plan', 'before.json after.json');
  const plans = paths.map(path => ({ path, plan: loadPlan(path) }));
  const [first] = plans;
  const other = plans.find(({ plan }) => plan.pipeline.shape !== first?.plan.pipeline.shape);
  if (other !== undefined) {
    throw new VenturiError(
      'VENTURI_PLAN_OTHER_PIPELINE',
      `${other.path} is a plan for another pipeline (${other.plan.pipeline.path}) than ${first?.path}`,
      { remedy: 'Compare plans of one pipeline.' },
    );
  }
  return { schemaVersion: 1, plans, operators: compareActions(plans.map(({ plan }) => plan)) };
}
