import type { Operator } from '../model/graph.ts';
import type { Topology } from './topology.ts';

/** Operators that share a loop, which so many lanes run. */
export interface FusedStage<T> {
  readonly nodes: readonly T[];
  readonly lanes: number;
}

/** A stage that may grow. */
export interface OpenStage {
  readonly lanes: number;
  /** Its operators asked for these lanes; otherwise they are what a stage has unasked. */
  readonly isAsked: boolean;
  readonly last: Operator;
}

/** How a runtime fuses operators. */
export interface FusingRules {
  /** Lanes of a stage whose operators ask for none. */
  readonly lanesUnasked: number;
  /** Lanes that an operator asks for; undefined: it rides along. */
  lanesAsked(operator: Operator): number | undefined;
  /** Whether it joins the stage of the one operator it reads from. */
  joins(operator: Operator, stage: OpenStage): boolean;
}

/**
 * The stages of a graph. Of any runtime: an operator that several read ends its stage, and one that reads from several, or puts
 * its elements together before the loop, begins one. The rest is for the runtime's rules to say.
 */
export function cutStages<T>(topology: Topology<T>, rules: FusingRules): readonly FusedStage<T>[] {
  const stages: { readonly nodes: T[]; readonly lanes: number; readonly isAsked: boolean; last: Operator }[] = [];
  const stageOf = new Map<T, (typeof stages)[number]>();
  for (const node of topology.nodes) {
    const operator = topology.operatorOf(node);
    const [input] = topology.inputs(node);
    const isFirst = input === undefined || topology.isOrigin(node) || topology.readers(input).length > 1;
    const before = isFirst ? undefined : stageOf.get(input);
    const asked = rules.lanesAsked(operator);
    const joined = before !== undefined && rules.joins(operator, before) ? before : undefined;
    const stage = joined ?? {
      nodes: [],
      lanes: asked ?? rules.lanesUnasked,
      isAsked: asked !== undefined,
      last: operator,
    };
    if (joined === undefined) stages.push(stage);
    stage.nodes.push(node);
    stage.last = operator;
    stageOf.set(node, stage);
  }
  return stages;
}
