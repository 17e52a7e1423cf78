import { StageTopology } from '../graph/stage-topology.ts';
import { operatorsUpstreamFirst } from '../graph/upstream-first.ts';
import { highest } from '../math/totals.ts';
import { CONSUMER } from '../model/consumer.ts';
import type { End } from '../model/end.ts';
import type { Graph, Operator } from '../model/graph.ts';

/**
 * Ends of a pipeline: its consumer and its sinks, or what gathers all elements before them, unless an operator is `named`. Throughput counts all ends together. They
 * follow from the graph alone, so that two recordings of one pipeline count the same; `elementsOut` decides only between
 * several ends that are no sinks.
 */
export function endsOf(graph: Graph, elementsOut: (id: string) => number, named?: string | undefined): readonly End[] {
  const called = graph.operators.find(({ id, label }) => id === named || label === named);
  if (called !== undefined) return [endAt(called)];
  const consumed = consumedEnd(graph, elementsOut);
  const sinks = graph.operators.filter(({ sink }) => sink === true);
  const byId = new Map(graph.operators.map(operator => [operator.id, operator]));
  return [...(consumed === undefined ? [] : [consumed]), ...sinks].map(
    operator => gatheredBefore(byId, operator) ?? endAt(operator),
  );
}

/** Of a chain that gathers its elements until the end of a pass (`groupBy`) nothing leaves before: what enters it is counted. */
function gatheredBefore(byId: ReadonlyMap<string, Operator>, end: Operator): End | undefined {
  let operator: Operator | undefined = end;
  while (operator !== undefined) {
    if (operator.blocking === true && operator.elements === 'fewer')
      return { operator: operator.id, counted: 'elementsIn' };
    const [input, ...others]: readonly string[] = operator.inputs;
    operator = others.length > 0 ? undefined : byId.get(input ?? '');
  }
  return undefined;
}

const endAt = (operator: Operator): End => ({
  operator: operator.id,
  counted: operator.sink === true ? 'elementsIn' : 'elementsOut',
});

/** The operator whose elements a consumer takes; of several the busiest. Undefined where all of them end in sinks. */
export function consumedEnd(graph: Graph, elementsOut: (id: string) => number): Operator | undefined {
  const read = new Set(graph.operators.flatMap(({ inputs }) => inputs));
  const silent = silentOperators(graph);
  const ends = graph.operators.filter(({ id }) => !read.has(id) && !silent.has(id));
  const topology = new StageTopology(graph);
  const feeding = new Set(topology.edges.flatMap(({ from, to }) => (to.id === CONSUMER ? [from] : [])));
  const consumed = ends.filter(({ id }) => {
    const vertex = topology.vertexOf(id);
    return vertex !== undefined && feeding.has(vertex);
  });
  return highest(consumed.length > 0 ? consumed : ends, ({ id }) => elementsOut(id));
}

/** Sinks, and what reads from sinks alone: a `merge` of them, or the `repeat` behind it. */
function silentOperators(graph: Graph): ReadonlySet<string> {
  const silent = new Set<string>();
  for (const operator of operatorsUpstreamFirst(graph.operators)) {
    const { id, inputs } = operator;
    if (operator.sink === true || (inputs.length > 0 && inputs.every(input => silent.has(input)))) silent.add(id);
  }
  return silent;
}
