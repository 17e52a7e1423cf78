/** What a recording says about operators, for the rules of rules.mjs. */
import { diagnose } from 'venturi';

export async function recorded(path, { root, cores }) {
  const { operators, stages, graph } = await diagnose(path, { root });
  const first = new Map();
  for (const { id, stage, sequential } of operators) if (!sequential && !first.has(stage)) first.set(stage, id);
  const blocked = new Map(stages.map(({ id, blockedDemand }) => [id, blockedDemand]));
  return {
    cores,
    operators: operators.map(({ id, stage, sequential, cpuDemand }) => ({
      id,
      divisible: !sequential && graph.operators.find(each => each.id === id).inputs.length > 0,
      // Where lanes are blocked outside is known by stage: that is the one that reads, which comes first.
      seconds: cpuDemand.estimate + (first.get(stage) === id ? (blocked.get(stage) ?? 0) : 0),
    })),
    lanes: new Map(graph.operators.map(({ id, parallelism }) => [id, parallelism ?? 1])),
  };
}
