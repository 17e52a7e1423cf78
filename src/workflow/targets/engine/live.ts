import { type NarrowPlace, placeId } from '../../../analysis/states/detect.ts';
import { type HeldPlace, natureOf } from '../../../analysis/states/history.ts';
import { LiveStates, type LiveView } from '../../../analysis/states/live.ts';
import type { Vertex } from '../../../graph/stage-topology.ts';
import type { Graph } from '../../../model/graph.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import type { HeldPlaceRow, LivePipeline, LivePlace, LiveTask } from '../../../report/results/live-run.ts';
import type { LiveFold } from '../target.ts';

/** What a pipeline does now, and how its bottleneck moved. */
export function livePipeline(): LiveFold {
  const states = new LiveStates();
  return {
    block: (block, subjects) => states.block(block, subjects),
    advance: ({ graph }) => void (graph && states.advance(graph)),
    result: ({ graph }) => {
      const view = graph && states.advance(graph);
      return graph && view && { pipeline: pipelineOf(graph, view) };
    },
  };
}

function pipelineOf(graph: Graph, view: LiveView): LivePipeline {
  const { window, history, curves } = view;
  const segments = history.segments.map(({ from, to, place }) => ({
    fromSeconds: from / NS_PER_SECOND,
    toSeconds: to / NS_PER_SECOND,
    place: place === undefined ? undefined : placeId(place),
  }));
  const last = history.segments.at(-1);
  return {
    graph,
    windowSeconds: (window.to - window.from) / NS_PER_SECOND,
    now: last?.place && { ...placeOf(last.place), sinceSeconds: last.from / NS_PER_SECOND },
    tasks: window.vertices.map(
      ({ vertex, lanes, states, busy }): LiveTask => ({
        id: vertex.id,
        operators: idsOf(vertex),
        lanes,
        states,
        busy,
        cores: view.cores(vertex),
        elementsPerSecond: rateOf(vertex, view),
      }),
    ),
    channels: window.edges.map(({ edge, saturated }) => ({ id: edge.id, saturated })),
    held: history.held.map(row => heldRow(row, history.time)).sort((a, b) => b.seconds - a.seconds),
    segments,
    cpu: {
      binSeconds: curves.binNs / NS_PER_SECOND,
      tasks: curves.tasks.map(({ vertex, cores }) => ({ id: vertex.id, cores })),
    },
  };
}

const idsOf = ({ operators }: Vertex): string[] => operators.map(({ id }) => id);

function rateOf({ operators }: Vertex, view: LiveView): number | undefined {
  const last = operators.at(-1);
  return last && view.elementsPerSecond(last.id);
}

function placeOf(place: NarrowPlace): LivePlace {
  if (place.type === 'vertex') {
    return { place: placeId(place), operators: idsOf(place.vertex), limit: place.limit, share: place.share };
  }
  const { from, to } = place.edge;
  const operators = [...idsOf(from).slice(-1), ...idsOf(to).slice(0, 1)];
  return { place: placeId(place), operators, limit: 'channel', share: place.share };
}

function heldRow({ place, time, first, times }: HeldPlace, all: number): HeldPlaceRow {
  const share = time / all;
  return {
    place: placeId(place),
    operators: placeOf(place).operators,
    firstSeconds: first / NS_PER_SECOND,
    seconds: time / NS_PER_SECOND,
    share,
    times,
    nature: natureOf(share),
  };
}
