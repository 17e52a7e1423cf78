import { type AppliedPlan, appliedPlan } from '../../model/applied-plan.ts';
import type { Operator } from '../../model/graph.ts';
import type { WrittenPlan } from '../../model/plan.ts';
import type { PlanLimits } from '../../model/plan-limits.ts';
import { fingerprint, placeNodes, shape } from '../compile/graph.ts';
import { rewrite } from '../compile/rewrite.ts';
import { buildGraph } from '../description/definition.ts';
import type { PipelineDefinition } from './define.ts';

/** A pipeline as its author wrote it: no run, no plan. */
export interface DescribedPipeline {
  readonly operators: readonly Operator[];
  /** The sinks among them whose effects a trial would have, for all that the engine can see. */
  readonly effects: readonly Operator[];
  /** A plan fits where this is the same. */
  readonly shape: string;
  readonly fingerprint: string;
  /** Throws where the engine would refuse these changes. */
  check(plan: AppliedPlan): void;
}

/** Builds the graph of a pipeline without running anything. */
export function describePipeline<P, T>(
  definition: PipelineDefinition<P, T>,
  params: Partial<P> = {},
): DescribedPipeline {
  const nodes = placeNodes(buildGraph(definition, params as Record<string, unknown>).node);
  return {
    operators: nodes.map(({ operator }) => operator),
    effects: nodes
      .filter(({ node, operator }) => operator.sink === true && node.harmless !== true)
      .map(({ operator }) => operator),
    shape: shape(nodes),
    fingerprint: fingerprint(nodes),
    check: plan => void rewrite(nodes, plan),
  };
}

/**
 * The same pipeline with a plan: its elements are the same, in the same order. A plan may be somebody else's: a run fails
 * where it asks for more than `limits` allow.
 */
export const applyPlan = <P, T>(
  definition: PipelineDefinition<P, T>,
  plan: WrittenPlan,
  limits: PlanLimits = {},
): PipelineDefinition<P, T> => planned(definition, appliedPlan(plan, limits));

export const planned = <P, T>(definition: PipelineDefinition<P, T>, plan: AppliedPlan): PipelineDefinition<P, T> => ({
  ...definition,
  run: (options = {}) => definition.run({ ...options, plan }),
});
