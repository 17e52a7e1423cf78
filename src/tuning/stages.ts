import { cutStages, type FusingRules } from '../graph/stages.ts';
import { Topology } from '../graph/topology.ts';
import { crossing, givingArrays, takingArrays } from '../prediction/bound/crossing.ts';
import type { ModelOperator } from './operator.ts';

/** Operators that will share a loop, and its cost per element that leaves the pipeline. */
export interface ModelStage {
  readonly operators: readonly ModelOperator[];
  readonly lanes: number;
  /** CPU seconds of its operators. */
  readonly cpu: number;
  readonly blocked: number;
  /** CPU seconds for handing elements to it and on from it, as reckoned, and for the typed arrays among them. */
  readonly crossing: number;
  readonly arrays: number;
  /** It could have several lanes. */
  readonly divisible: boolean;
}

/** The stages that a runtime makes of operators, with what they cost. */
export function stagesOf(operators: readonly ModelOperator[], fusing: FusingRules): ModelStage[] {
  const topology = modelTopology(operators);
  return cutStages(topology, fusing).map(({ nodes, lanes }) => ({
    operators: nodes,
    lanes,
    cpu: nodes.reduce((sum, { cpu }) => sum + cpu, 0),
    blocked: nodes.reduce((sum, { blocked }) => sum + blocked, 0),
    crossing: atEnds(nodes, topology, crossing, crossing),
    arrays: atEnds(nodes, topology, takingArrays, givingArrays),
    divisible: nodes.every(({ sequential, origin }) => !sequential && origin !== true),
  }));
}

/** `operators` upstream first. */
export const modelTopology = (operators: readonly ModelOperator[]): Topology<ModelOperator> =>
  new Topology(operators, operator => operator);

/** What handing elements to a stage and on from it costs. Every reader gets a copy. */
function atEnds(
  members: readonly ModelOperator[],
  topology: Topology<ModelOperator>,
  taken: (operator: ModelOperator) => number,
  given: (operator: ModelOperator) => number,
): number {
  const [first] = members;
  const last = members.at(-1);
  const inputs = first === undefined ? [] : [...new Set(topology.inputs(first))];
  const arriving = inputs.reduce((sum, input) => sum + taken(input), 0);
  const leaving = last === undefined ? 0 : given(last) * Math.max(1, topology.readers(last).length);
  return arriving + leaving;
}
