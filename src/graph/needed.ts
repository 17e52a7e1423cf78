import type { Topology } from './topology.ts';

/** Nodes that the ends of a graph read from, directly or through others. Nodes for which `isSatisfied` read from nothing. */
export function neededNodes<T>(topology: Topology<T>, isSatisfied: (node: T) => boolean): ReadonlySet<T> {
  const needed = new Set<T>();
  for (const node of topology.nodes.toReversed()) {
    const readers = topology.readers(node);
    const isAsked = readers.some(({ placed }) => needed.has(placed) && !isSatisfied(placed));
    if (readers.length === 0 || isAsked) needed.add(node);
  }
  return needed;
}
