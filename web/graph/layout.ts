import { Graph, layout } from '@dagrejs/dagre';
import type { ChannelLine, StageBox, StageGraph } from './stage-graph.ts';

/** Sizes of the drawing, px. */
export const BOX = { width: 208, title: 26, row: 21, states: 40, gap: 58 } as const;

export interface PlacedBox extends StageBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedLine extends ChannelLine {
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly PlacedLine[];
}

export const heightOf = ({ operators, states, notes = [] }: StageBox): number =>
  BOX.title + (operators.length + notes.length) * BOX.row + (states === undefined ? 8 : BOX.states);

/** Layered, from left to right where that fits into `room` px, else downwards unless that is wider still. */
export function placed(graph: StageGraph, room: number): PlacedGraph {
  const across = placedIn(graph, 'LR');
  if (across.width <= room) return across;
  const down = placedIn(graph, 'TB');
  return down.width <= Math.max(room, across.width) ? down : across;
}

function placedIn({ boxes, lines }: StageGraph, rankdir: 'LR' | 'TB'): PlacedGraph {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir, nodesep: 28, ranksep: BOX.gap, marginx: 4, marginy: 4 });
  for (const box of boxes) graph.setNode(box.id, { width: BOX.width, height: heightOf(box) });
  for (const [at, { from, to }] of lines.entries()) graph.setEdge(from, to, {}, String(at));
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    boxes: boxes.map(box => {
      const { x = 0, y = 0, width: wide, height: high } = graph.node(box.id);
      return { ...box, x: x - wide / 2, y: y - high / 2, width: wide, height: high };
    }),
    lines: lines.map((line, at) => ({ ...line, points: graph.edge(line.from, line.to, String(at)).points ?? [] })),
  };
}
