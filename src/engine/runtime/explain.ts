import type { Lowered } from '../../model/lowered.ts';
import type { RunOptions } from '../contract/run.ts';
import { type Blueprint, buildGraph } from '../description/definition.ts';
import { settingsOf } from './launch.ts';
import { lowerPlan } from './run/lowered.ts';
import { heedLimits, planRun } from './run/run-plan.ts';

/** The plan of a run and the code that its lanes would generate. */
export function lower<P, T>(blueprint: Blueprint<P, T>, options: RunOptions<P> = {}): Lowered {
  const settings = settingsOf(blueprint, options);
  const inline = options.parallelism === 0;
  const pipeline = buildGraph(blueprint, settings.params);
  heedLimits(pipeline, settings.plan, inline);
  return lowerPlan(planRun(pipeline, { ...settings, inline }), inline);
}
