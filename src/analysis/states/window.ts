import type { Edge, StageTopology, Vertex } from '../../graph/stage-topology.ts';
import { entryOf } from '../../math/groups.ts';
import { ratio } from '../../math/ratio.ts';
import { sumOf } from '../../math/totals.ts';
import { subject } from '../../model/record.ts';
import {
  busiestShare,
  busyOf,
  lanesOf,
  type StateShares,
  type StateTimes,
  stateShares,
  stateTimes,
  wallOf,
} from '../rates/lane-states.ts';
import { growthOf, type LaneTimeline, type Timeline } from '../timeline.ts';

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

/** States of vertices and edges in any window of a run. The lanes of each vertex are looked up once. */
export class StateView {
  readonly #topology: StageTopology;
  readonly #timeline: Timeline;
  readonly #lanes: ReadonlyMap<Vertex, readonly LaneTimeline[]>;
  /** Vertices without lanes, of which a large graph may have very many: they are alike in every window. */
  readonly #idle = new Map<Vertex, VertexWindow>();

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
    const lanes = this.#lanes.get(vertex) ?? [];
    if (lanes.length === 0) return entryOf(this.#idle, vertex, () => windowOf(vertex, []));
    return windowOf(
      vertex,
      lanes.map(lane => stateTimes(lane, from, to)),
    );
  }

  #saturated({ channels }: Edge, from: number, to: number): number {
    const shares = channels.map(({ id }) => {
      const full = growthOf(this.#timeline.lanes, subject.channel(id), 'saturated', from, to);
      return Math.min(1, full / (to - from));
    });
    return sumOf(shares, each => each) / Math.max(1, shares.length);
  }

  /** The longest time that a lane's mean chunk takes, ns: no window should be near it. */
  longestChunk(from: number, to: number): number {
    const means = [...this.#lanes].map(([vertex, lanes]) => {
      const chunks = growthOf(lanes, vertex.key, 'chunks', from, to);
      return ratio(
        sumOf(lanes, lane => busyOf(stateTimes(lane, from, to))),
        chunks,
      );
    });
    return means.reduce((longest, mean) => Math.max(longest, mean), 0);
  }
}

function windowOf(vertex: Vertex, times: readonly StateTimes[]): VertexWindow {
  const states = stateShares(times);
  return {
    vertex,
    lanes: times.filter(each => wallOf(each) > 0).length,
    states,
    busy: busyOf(states),
    busiest: busiestShare(times),
    processing: states.running + states.runnable,
  };
}
