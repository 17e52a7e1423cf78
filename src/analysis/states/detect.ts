import type { Edge, StageTopology, Vertex } from '../../graph/stage-topology.ts';
import type { StateWindow, VertexWindow } from './window.ts';

/** A place that holds the flow back. */
export type NarrowPlace =
  /** `cpu`: on a core or queued for one. `blocked`: asleep outside the dataflow. `skew`: one lane of several. */
  | {
      readonly type: 'vertex';
      readonly limit: 'cpu' | 'blocked' | 'skew';
      readonly vertex: Vertex;
      readonly share: number;
    }
  | { readonly type: 'channel'; readonly edge: Edge; readonly share: number };

export const placeId = (place: NarrowPlace): string =>
  place.type === 'vertex' ? `vertex:${place.vertex.id}` : `channel:${place.edge.id}`;

/** Share of busy time above which a place becomes narrow: α = β of the paper. */
const ENTER = 0.9;
/** Share of busy time below which a narrow place is one no longer. */
const LEAVE = 0.8;
/** Excess of the busiest lane over the mean of its vertex that is a matter of balance, not of parallelism. */
const SKEW = 0.25;

/**
 * Narrow places in one window, those nearest the consumer first (after Alg. 1 to 3 of the dag-bottlenecks paper).
 *
 * A vertex is one if its lanes are busy and no vertex strictly downstream of it is: what lies upstream of a narrow place
 * is held up by it. An edge is one if its channels are full, no narrow vertex lies on a path through it (the paper asks
 * this of the whole job, so that one branch would hide the other), and no edge strictly downstream is one. All flags are
 * taken anew in each window; `before` only lowers the threshold for a place that was one already.
 */
export function narrowPlaces(topology: StageTopology, window: StateWindow, before: ReadonlySet<string>): NarrowPlace[] {
  const threshold = (id: string): number => (before.has(id) ? LEAVE : ENTER);
  const vertices: (NarrowPlace & { type: 'vertex' })[] = [];
  const [above, below] = [topology.upstream(), topology.downstream()];
  for (const seen of [...window.vertices].reverse()) {
    const { vertex } = seen;
    if (seen.busiest <= LEAVE || above.has(vertex)) continue;
    const limit = limitOf(seen, threshold(`vertex:${vertex.id}`));
    if (limit === undefined) continue;
    vertices.push({ type: 'vertex', limit, vertex, share: limit === 'skew' ? seen.busiest : seen.busy });
    above.add(vertex);
    below.add(vertex);
  }
  const narrow = new Set(vertices.map(({ vertex }) => vertex));
  /** A narrow vertex lies on a path through it. */
  const isHeldUp = ({ from, to }: Edge): boolean =>
    narrow.has(from) || narrow.has(to) || above.has(to) || below.has(from);
  const edges: (NarrowPlace & { type: 'channel' })[] = [];
  const full = window.edges.filter(({ edge, saturated }) => saturated > threshold(`channel:${edge.id}`));
  if (full.length === 0) return vertices;
  const order = new Map(topology.vertices.map((vertex, at) => [vertex, at]));
  const aboveEdges = topology.upstream();
  const ends = new Set<Vertex>();
  const upstreamLast = full.sort((a, b) => (order.get(b.edge.to) ?? 0) - (order.get(a.edge.to) ?? 0));
  for (const { edge, saturated } of upstreamLast) {
    if (isHeldUp(edge) || ends.has(edge.to) || aboveEdges.has(edge.to)) continue;
    edges.push({ type: 'channel', edge, share: saturated });
    ends.add(edge.from);
    aboveEdges.add(edge.from);
  }
  return [...vertices, ...edges];
}

function limitOf(
  { busy, busiest, lanes, processing, states }: VertexWindow,
  threshold: number,
): 'cpu' | 'blocked' | 'skew' | undefined {
  if (busy > threshold) return processing >= states.blocked ? 'cpu' : 'blocked';
  return lanes > 1 && busiest > ENTER && busiest - busy > SKEW ? 'skew' : undefined;
}
