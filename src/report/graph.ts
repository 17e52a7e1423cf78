import type { Canvas } from './canvas.ts';
import { precisePercent } from './format.ts';
import { orderForDrawing } from './graph-order.ts';
import { Rails } from './rails.ts';
import type { GraphBlock, GraphNode } from './tree.ts';
import { pad, textWidth, truncate } from './width.ts';

const GAP = '  ';
const LEAST_BAR = 6;
const MOST_BAR = 40;
const LEAST_LABEL = 4;
/** Cells of the percentage with a space before it: ` 100.0 %`. */
const PERCENT = 8;
const INDENT = 2;
/** Nodes that are drawn: rails of more would be wider than any line, and nobody reads as many. */
const MOST_NODES = 400;

/**
 * The graph as one node per line, sources first: rails for the edges, a bar and a percentage for the node's share, and
 * a bracket around the nodes that run as one.
 *
 *     ● files                                0.3 %  62.5/s ╶ 1 lane
 *     │ 3.1 of 8 queued
 *     ● read    ██▎                          9.2 %  62.5/s ╮ 2 lanes
 *     ◆ decode  ██████████████████▌         71.0 %  62.5/s ╯
 */
export function graphLines(block: GraphBlock, canvas: Canvas): string[] {
  const { nodes: all, groups } = orderForDrawing(block);
  const nodes = all.slice(0, MOST_NODES);
  const rails = new Rails(nodes, canvas.signs);
  const note = new Map(block.edges.map(edge => [`${edge.from}\n${edge.to}`, edge.note]));

  interface Line {
    readonly rail: string;
    readonly node?: GraphNode;
    readonly note?: string;
  }
  const lines: Line[] = [];
  nodes.forEach((node, i) => {
    const before = nodes[i - 1];
    const isNewGroup = before !== undefined && groups.get(before.id) !== groups.get(node.id);
    const [input] = node.inputs;
    const said = input !== undefined && node.inputs.length === 1 ? note.get(`${input}\n${node.id}`) : undefined;
    const idle = rails.idle();
    const entering = rails.enter(node);
    if (said !== undefined && rails.isAlone(node)) lines.push({ rail: idle, note: canvas.clean(said) });
    // Groups stand apart; a line on which rails meet or part does that already.
    else if (isNewGroup && entering.length === 0 && lines.at(-1)?.node !== undefined) lines.push({ rail: idle });
    for (const rail of entering) lines.push({ rail });
    lines.push({ rail: rails.node(node), node });
    for (const rail of rails.leave(node)) lines.push({ rail });
  });

  const widest = (texts: Iterable<string>): number => {
    let width = 0;
    for (const text of texts) width = Math.max(width, textWidth(text));
    return width;
  };
  const railWidth = widest(lines.flatMap(({ node, rail }) => (node === undefined ? [] : [rail])));
  const figures = new Map(nodes.map(node => [node.id, canvas.clean(node.figure ?? '')]));
  const brackets = bracketTexts(block, nodes, canvas);
  const longest = widest(nodes.map(node => canvas.clean(node.label)));
  // A narrow line gives up the brackets, then the figures, before it gives up the bar.
  let room = canvas.width - INDENT - railWidth - 1 - PERCENT - Math.min(longest, 12) - 1 - LEAST_BAR;
  const figureWidth = fitting(widest(figures.values()), GAP.length, room);
  room -= figureWidth === 0 ? 0 : figureWidth + GAP.length;
  const bracketWidth = fitting(widest(brackets.values()), 1, room);
  room -= bracketWidth === 0 ? 0 : bracketWidth + 1;
  const labelWidth = Math.max(LEAST_LABEL, Math.min(longest, Math.min(longest, 12) + Math.max(0, room)));
  const barWidth = Math.max(0, Math.min(MOST_BAR, LEAST_BAR + room - (labelWidth - Math.min(longest, 12))));

  const drawn = lines.map(({ rail, node, note: said }) => {
    if (node === undefined) {
      const edge = `${' '.repeat(INDENT)}${canvas.colour('muted', rail)}`;
      if (said === undefined) return edge;
      const room = canvas.width - INDENT - textWidth(rail) - 1;
      return `${edge} ${canvas.colour('muted', truncate(said, room, canvas.signs.ellipsis))}`;
    }
    const tone = node.emphasis === true ? 'accent' : undefined;
    const label = pad(truncate(canvas.clean(node.label), labelWidth, canvas.signs.ellipsis), labelWidth, 'left');
    const cells = [
      canvas.colour(tone, pad(rail, railWidth, 'left')),
      canvas.colour(tone, label),
      canvas.colour(tone, pad(bar(node.share, barWidth, canvas), barWidth, 'left')) +
        pad(canvas.clean(precisePercent(node.share)), PERCENT, 'right'),
    ];
    let line = ' '.repeat(INDENT) + cells.join(' ');
    if (figureWidth > 0) line += GAP + pad(figures.get(node.id) ?? '', figureWidth, 'right');
    if (bracketWidth > 0) line += ` ${canvas.colour('muted', brackets.get(node.id) ?? '')}`;
    return line;
  });
  if (all.length === nodes.length) return drawn;
  const left = `${' '.repeat(INDENT)}${all.length - nodes.length} more are not drawn`;
  return [...drawn, canvas.colour('muted', truncate(left, canvas.width, canvas.signs.ellipsis))];
}

/** The width of a column that fits into the room with its gap; 0 leaves the column out. */
const fitting = (width: number, gap: number, room: number): number => (width + gap <= room ? width : 0);

function bar(share: number | undefined, width: number, canvas: Canvas): string {
  if (share === undefined || !(share > 0)) return '';
  const { bar: full, barParts } = canvas.signs;
  const steps = barParts.length + 1;
  // Something that was measured shows at least the smallest mark the charset has.
  const filled = Math.max(1, Math.round(Math.min(1, share) * width * steps));
  const rest = filled % steps;
  return full.repeat(Math.floor(filled / steps)) + (rest > 0 ? (barParts[rest - 1] ?? '') : '');
}

/** Each node's piece of its group's bracket; the first line of a group also carries the label. */
function bracketTexts(block: GraphBlock, nodes: readonly GraphNode[], canvas: Canvas): Map<string, string> {
  const [only, first, middle, last] = canvas.signs.bracket;
  const texts = new Map<string, string>();
  const order = new Map(nodes.map((node, at) => [node.id, at]));
  for (const group of block.groups) {
    const members = group.nodes
      .flatMap(id => order.get(id) ?? [])
      .sort((a, b) => a - b)
      .flatMap(at => nodes[at] ?? []);
    members.forEach((node, i) => {
      const isFirst = i === 0;
      const sign = members.length === 1 ? only : isFirst ? first : i === members.length - 1 ? last : middle;
      texts.set(node.id, isFirst ? `${sign} ${truncate(canvas.clean(group.label), 16, canvas.signs.ellipsis)}` : sign);
    });
  }
  return texts;
}
