import type { Edge, StageTopology, Vertex } from '../../graph/stage-topology.ts';
import { subject } from '../../model/record.ts';
import { busyOf, lanesOf, type StateShares, stateShares, stateTimes, wallOf } from '../rates/lane-states.ts';
import type { LaneTimeline, Timeline } from '../timeline.ts';

/** How a vertex's lanes divided their time in one window. */
export interface VertexWindow {
  readonly vertex: Vertex;
  readonly lanes: number;
  readonly states: StateShares;
  /** Of the mean lane and of the busiest: neither starved nor back-pressured. */
  readonly busy: number;
  readonly busiest: number;
  /** pt of the paper: running, or wanting to. */
  readonly processing: number;
}

export interface EdgeWindow {
  readonly edge: Edge;
  /** st of the paper: the mean over its channels of the time they were full. */
  readonly saturated: number;
}

export interface StateWindow {
  readonly from: number;
  readonly to: number;
  readonly vertices: readonly VertexWindow[];
  readonly edges: readonly EdgeWindow[];
}

/** Looks at any window of a run. Which lanes belong to whom is worked out once. */
export class StateView {
  readonly #topology: StageTopology;
  readonly #timeline: Timeline;
  readonly #lanes: ReadonlyMap<Vertex, readonly LaneTimeline[]>;

  constructor(topology: StageTopology, timeline: Timeline) {
    this.#topology = topology;
    this.#timeline = timeline;
    this.#lanes = new Map(topology.vertices.map(vertex => [vertex, lanesOf(timeline, vertex)]));
  }

  window(from: number, to: number): StateWindow {
    return {
      from,
      to,
      vertices: this.#topology.vertices.map(vertex => this.#vertex(vertex, from, to)),
      edges: this.#topology.edges.map(edge => ({ edge, saturated: this.#saturated(edge, from, to) })),
    };
  }

  #vertex(vertex: Vertex, from: number, to: number): VertexWindow {
    const times = (this.#lanes.get(vertex) ?? [])
      .map(lane => stateTimes(lane, from, to))
      .filter(each => wallOf(each) > 0);
    const states = stateShares(times);
    return {
      vertex,
      lanes: times.length,
      states,
      busy: states.running + states.runnable + states.blocked,
      busiest: Math.max(0, ...times.map(each => busyOf(each) / wallOf(each))),
      processing: states.running + states.runnable,
    };
  }

  #saturated({ channels }: Edge, from: number, to: number): number {
    const shares = channels.map(({ id }) => {
      const key = subject.channel(id);
      const full = this.#timeline.lanes.reduce((sum, lane) => sum + lane.between(key, 'saturated', from, to), 0);
      return Math.min(1, full / (to - from));
    });
    return shares.reduce((sum, each) => sum + each, 0) / Math.max(1, shares.length);
  }

  /** The longest time that a lane's mean chunk takes, ns: no window should be near it. */
  longestChunk(from: number, to: number): number {
    return [...this.#lanes].reduce((longest, [vertex, lanes]) => {
      const chunks = lanes.reduce((sum, lane) => sum + lane.between(vertex.key, 'chunks', from, to), 0);
      const busy = lanes.reduce((sum, lane) => sum + busyOf(stateTimes(lane, from, to)), 0);
      return chunks > 0 ? Math.max(longest, busy / chunks) : longest;
    }, 0);
  }
}
