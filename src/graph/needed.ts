import type { Topology } from './topology.ts';

/** What the ends of a graph ask for, directly or through others, where those for which `isSatisfied` ask for nothing. */
export function neededNodes<T>(topology: Topology<T>, isSatisfied: (node: T) => boolean): ReadonlySet<T> {
  const needed = new Set<T>();
  for (const node of topology.nodes.toReversed()) {
    const readers = topology.readers(node);
    const isAsked = readers.some(({ placed }) => needed.has(placed) && !isSatisfied(placed));
    if (readers.length === 0 || isAsked) needed.add(node);
  }
  return needed;
}
