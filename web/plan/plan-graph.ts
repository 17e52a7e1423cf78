import { StageTopology } from '../../src/graph/stage-topology.ts';
import { CONSUMER } from '../../src/model/consumer.ts';
import type { Graph } from '../../src/model/graph.ts';
import { plural } from '../../src/report/format.ts';
import { actionWords } from '../../src/report/plan-words.ts';
import type { TriedPlan } from '../../src/report/results/tuning.ts';
import { MOST_BOXES, type StageBox, type StageGraph } from '../graph/stage-graph.ts';

/**
 * The stages of a plan that ran, with what it changes about their operators: settings that go beside the pipeline as it is (`before`), settings
 * that come beside the pipeline with it. Undefined where it is too large to draw.
 */
export function planGraph(
  { graph, verdict }: Pick<TriedPlan, 'graph' | 'verdict'>,
  { changes }: Pick<TriedPlan, 'changes'>,
  side: 'before' | 'after',
  other: Graph,
): StageGraph | undefined {
  if (graph.operators.length > MOST_BOXES) return undefined;
  const topology = new StageTopology(graph);
  const causes = new Set(verdict.limits ? verdict.operators : []);
  const isThere = new Set(other.operators.map(({ id }) => id));
  const lanesOf = new Map(graph.stages.map(({ id, parallelism }) => [id, parallelism]));
  const notesOf = (operator: string): NonNullable<StageBox['notes']> =>
    changes
      .filter(({ action }) => action.operator === operator)
      .map(({ action }) => actionWords(action))
      .flatMap(({ less, more }): NonNullable<StageBox['notes']> => {
        if (side === 'before') return less === undefined ? [] : [{ text: `− ${less}`, tone: 'bad' }];
        return more === undefined ? [] : [{ text: `+ ${more}`, tone: 'good' }];
      });
  const boxes = topology.vertices.map((vertex): StageBox => {
    const operators = vertex.operators.map(({ id, label }) => ({
      id,
      label,
      cpuShare: undefined,
      isCause: causes.has(id),
      isNew: side === 'after' && !isThere.has(id),
    }));
    return {
      id: vertex.id,
      title: vertex.id === CONSUMER ? 'consumer' : plural(lanesOf.get(vertex.id) ?? 1, 'lane'),
      operators,
      states: undefined,
      isCause: operators.some(({ isCause }) => isCause),
      notes: operators.flatMap(({ id }) => notesOf(id)),
    };
  });
  const lines = topology.edges.map(({ from, to }) => ({
    from: from.id,
    to: to.id,
    rate: undefined,
    weight: 0,
    queue: undefined,
  }));
  return { boxes, lines };
}
