import type { ExecutionNode } from './nodes.ts';

/** An operator reads what another one wrote before. Numbers of records. */
export interface DataFlow {
  readonly from: number;
  readonly to: number;
}

/**
 * Which operators read what which others wrote: for every storage that one reads, the last that wrote it. Operators that call others leave
 * reading and writing to them. They are numbered as they start.
 */
export function dataFlows(nodes: readonly ExecutionNode[]): DataFlow[] {
  const callers = new Set(nodes.map(({ parent }) => parent));
  const leaves = nodes.filter(({ id, record }) => record > 0 && !callers.has(id)).sort((a, b) => a.id - b.id);
  const writer = new Map<number, number>();
  const flows: DataFlow[] = [];
  for (const { record, reads, writes } of leaves) {
    const writers = new Set<number>();
    for (const storage of reads) {
      const from = writer.get(storage);
      if (from !== undefined && from !== record) writers.add(from);
    }
    for (const from of writers) flows.push({ from, to: record });
    for (const storage of writes) writer.set(storage, record);
  }
  return flows;
}
