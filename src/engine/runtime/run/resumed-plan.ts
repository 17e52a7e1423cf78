import type { ExecutionPlan } from '../../compile/stages.ts';
import type { Pipeline } from '../../description/pipeline.ts';
import { unfinishedBatches } from '../checkpoint/unfinished-batches.ts';
import type { RunSettings } from './base-run.ts';
import { planRun } from './run-plan.ts';

/** The plan of a run and its settings: with a lane of their own for batches that were saved half-made. Every worker comes to the same by these settings. */
export function planResumed(
  pipeline: Pipeline<unknown>,
  given: RunSettings,
  inline: boolean,
): { readonly plan: ExecutionPlan; readonly settings: RunSettings } {
  let settings = given;
  for (;;) {
    const plan = planRun(pipeline, { ...settings, inline });
    // One in a lane of its own counts elements anew for those behind it.
    const [first] = settings.resume === undefined ? [] : unfinishedBatches(plan, settings.resume.line);
    if (first === undefined) return { plan, settings };
    settings = { ...settings, set: { ...settings.set, [first]: { parallelism: 1 } } };
  }
}
