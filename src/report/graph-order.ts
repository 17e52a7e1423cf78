import { upstreamFirst } from '../graph/upstream-first.ts';
import type { GraphBlock, GraphNode } from './tree.ts';

interface DrawingOrder {
  readonly nodes: readonly GraphNode[];
  /** The group of a node, as a number; a node without one is a group of its own. */
  readonly groups: ReadonlyMap<string, number>;
}

/**
 * Upstream before downstream, the nodes of a group together, and one branch after the other rather than by turns, so
 * that few rails stand open at once. Names that no node carries are ignored, and a cycle (which a graph of ours cannot
 * have, but a foreign one might claim) is drawn in the given order.
 */
export function orderForDrawing(block: GraphBlock): DrawingOrder {
  const groups = new Map<string, number>();
  block.groups.forEach((group, index) => {
    for (const id of group.nodes) groups.set(id, index);
  });
  let next = block.groups.length;
  for (const node of block.nodes) if (!groups.has(node.id)) groups.set(node.id, next++);

  const known = new Set(block.nodes.map(node => node.id));
  const members = new Map<number, GraphNode[]>();
  for (const node of block.nodes) {
    const group = groups.get(node.id) ?? 0;
    const drawn = { ...node, inputs: node.inputs.filter(id => known.has(id)) };
    const its = members.get(group);
    if (its === undefined) members.set(group, [drawn]);
    else its.push(drawn);
  }
  const upstreamGroups = (group: number): number[] =>
    (members.get(group) ?? []).flatMap(node => node.inputs.map(id => groups.get(id) ?? group)).filter(g => g !== group);

  // Depth first from the ends of the graph: a group follows right after the last of its inputs' branches.
  const ordered = upstreamFirst([...members.keys()], upstreamGroups).flatMap(group =>
    withinGroup(members.get(group) ?? []),
  );
  return { nodes: ordered, groups };
}

function withinGroup(nodes: readonly GraphNode[]): GraphNode[] {
  const byId = new Map(nodes.map(node => [node.id, node]));
  return upstreamFirst(nodes, ({ inputs }) => inputs.flatMap(id => byId.get(id) ?? []));
}
