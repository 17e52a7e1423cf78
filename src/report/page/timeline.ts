import type { Pyramid } from '../../analysis/pyramid/pyramid.ts';
import type { Graph, Operator } from '../../model/graph.ts';
import type { TimelineArrow, TimelineData, TimelineSubject } from './tiles.ts';

/** Lanes and subjects of a pyramid, with the graph's names. */
export function timelineOf(
  pyramid: Pyramid,
  graph: Graph | undefined,
  durationNs: number,
  arrows: readonly TimelineArrow[] = [],
): TimelineData {
  const subjects = pyramid.subjects.map(key => subjectOf(key, graph));
  return {
    durationNs: Math.max(durationNs, pyramid.endNs),
    spans: pyramid.spans,
    lanes: pyramid.lanes.map(({ lane: { name, pid, tid }, series }) => ({
      name,
      pid,
      tid,
      group: subjects[series[0]?.spans.subject[0] ?? -1]?.label ?? '',
      series: series.map(({ key, depth, spans }) => ({ key, depth, spans: spans.start.length })),
    })),
    subjects,
    binNs: pyramid.binNs,
    finest: 0,
    coarsest: pyramid.coarsest,
    arrows,
  };
}

function subjectOf(key: string, graph: Graph | undefined): TimelineSubject {
  const colon = key.indexOf(':');
  const [space, name] = colon < 0 ? [key, ''] : [key.slice(0, colon), key.slice(colon + 1)];
  const inGraph = (id: string): Operator | undefined => graph?.operators.find(operator => operator.id === id);
  const labelOf = (id: string): string => inGraph(id)?.label ?? id;
  switch (space) {
    case 'operator':
      return { key, label: labelOf(name), operators: graph === undefined || inGraph(name) !== undefined ? [name] : [] };
    case 'stage': {
      const operators = graph?.stages.find(({ id }) => id === name)?.operators ?? [];
      return { key, label: operators.map(labelOf).join(' + ') || name, operators };
    }
    default:
      return { key, label: name === '' ? space : `${space} (${name})`, operators: [] };
  }
}
