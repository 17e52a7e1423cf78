import { entryOf } from '../math/groups.ts';
import { CONSUMER } from '../model/consumer.ts';
import type { Channel, Graph, Operator } from '../model/graph.ts';
import { subject } from '../model/record.ts';
import { Reached } from './reached.ts';
import { upstreamFirst } from './upstream-first.ts';

/** Something that has lanes of its own: a stage, an operator outside all stages, or the consumer. */
export interface Vertex {
  readonly id: string;
  /** Key under which its lanes count. */
  readonly key: string;
  /** In the order in which an element passes them; none for the consumer. */
  readonly operators: readonly Operator[];
}

/** From one vertex to another; usually one channel. */
export interface Edge {
  readonly id: string;
  readonly from: Vertex;
  readonly to: Vertex;
  readonly channels: readonly Channel[];
}

/** The graph of stages instead of operators, and which of them lie downstream of which. */
export class StageTopology {
  /** Upstream before downstream. */
  readonly vertices: readonly Vertex[];
  readonly edges: readonly Edge[];
  readonly #inputs = new Map<Vertex, Vertex[]>();
  readonly #readers = new Map<Vertex, Vertex[]>();
  readonly #byOperator = new Map<string, Vertex>();

  constructor(graph: Graph) {
    const vertices = verticesOf(graph);
    for (const vertex of vertices) for (const { id } of vertex.operators) this.#byOperator.set(id, vertex);
    this.edges = this.#edgesOf(graph, vertices);
    for (const { from, to } of this.edges) {
      entryOf(this.#inputs, to, () => []).push(from);
      entryOf(this.#readers, from, () => []).push(to);
    }
    this.vertices = upstreamFirst(vertices, vertex => this.#inputs.get(vertex) ?? []);
  }

  /** Strictly: nothing lies downstream of itself. */
  isDownstream(vertex: Vertex, of: Vertex): boolean {
    const below = this.downstream();
    below.add(of);
    return below.has(vertex);
  }

  /** Everything strictly upstream of the vertices that are added to it. */
  upstream(): Reached<Vertex> {
    return new Reached(vertex => this.#inputs.get(vertex) ?? []);
  }

  /** Everything strictly downstream of the vertices that are added to it. */
  downstream(): Reached<Vertex> {
    return new Reached(vertex => this.#readers.get(vertex) ?? []);
  }

  vertexOf(operator: string): Vertex | undefined {
    return this.#byOperator.get(operator);
  }

  #edgesOf(graph: Graph, vertices: readonly Vertex[]): readonly Edge[] {
    // A channel may be named after the stages it joins, or after operators of theirs.
    const byId = new Map(vertices.map(vertex => [vertex.id, vertex]));
    const find = (name: string): Vertex | undefined => this.#byOperator.get(name) ?? byId.get(name);
    const joined = new Map<string, { id: string; from: Vertex; to: Vertex; channels: Channel[] }>();
    const join = (from: Vertex | undefined, to: Vertex | undefined, channel?: Channel): void => {
      if (from === undefined || to === undefined || from === to) return;
      const key = `${from.id}\n${to.id}`;
      const edge = joined.get(key) ?? { id: channel?.id ?? `${from.id} → ${to.id}`, from, to, channels: [] };
      if (channel !== undefined) edge.channels.push(channel);
      joined.set(key, edge);
    };
    for (const channel of graph.channels) join(find(channel.from), find(channel.to), channel);
    for (const { id, inputs } of graph.operators) for (const input of inputs) join(find(input), find(id));
    return [...joined.values()];
  }
}

function verticesOf(graph: Graph): Vertex[] {
  const operators = new Map(graph.operators.map(operator => [operator.id, operator]));
  const stages = graph.stages.map(({ id, operators: ids }) => ({
    id,
    key: subject.stage(id),
    operators: ids.flatMap(each => operators.get(each) ?? []),
  }));
  const staged = new Set(graph.stages.flatMap(stage => stage.operators));
  const alone = graph.operators
    .filter(({ id }) => !staged.has(id))
    .map(operator => ({ id: operator.id, key: subject.operator(operator.id), operators: [operator] }));
  const consumer = graph.channels.some(({ to }) => to === CONSUMER) && !operators.has(CONSUMER);
  return [...stages, ...alone, ...(consumer ? [{ id: CONSUMER, key: subject.stage(CONSUMER), operators: [] }] : [])];
}
