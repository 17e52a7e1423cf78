import type { Graph, Operator } from '../../model/graph.ts';
import { operatorsUpstreamFirst } from '../upstream-first.ts';

/** How often an operator starts everything upstream of it over. */
export const timesOf = ({ kind, settings }: Operator): number => {
  if (kind !== 'repeat') return 1;
  return settings.times === 'forever' ? Number.POSITIVE_INFINITY : Number(settings.times ?? 1);
};

/**
 * How often each operator goes through its elements, by the repeats behind it: what the engine's compiler works out for the same graph
 * (`compile/topology.ts`). A cache goes through what it reads once, and makes later passes itself.
 */
export class Passes {
  readonly #passes = new Map<string, number>();
  readonly #below = new Map<string, ReadonlySet<Operator>>();

  constructor(graph: Graph) {
    const readers = new Map<string, Operator[]>();
    for (const operator of graph.operators) {
      for (const input of operator.inputs) readers.set(input, [...(readers.get(input) ?? []), operator]);
    }
    for (const { id } of operatorsUpstreamFirst(graph.operators).toReversed()) {
      const its = readers.get(id) ?? [];
      this.#passes.set(id, Math.max(1, ...its.map(reader => this.#askedBy(reader))));
      this.#below.set(id, new Set(its.flatMap(reader => [reader, ...(this.#below.get(reader.id) ?? [])])));
    }
  }

  #askedBy(reader: Operator): number {
    return reader.kind === 'cache' ? 1 : this.of(reader.id) * timesOf(reader);
  }

  /** In a run that goes to its end; infinite before an endless repeat. */
  of(id: string): number {
    return this.#passes.get(id) ?? 1;
  }

  /** Everything that reads from it, directly or through others. */
  below(id: string): ReadonlySet<Operator> {
    return this.#below.get(id) ?? new Set();
  }
}
