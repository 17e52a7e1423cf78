import { entryOf } from '../math/groups.ts';
import type { Operator } from '../model/graph.ts';
import { operatorsUpstreamFirst } from './upstream-first.ts';

/** A node and the port at which it reads. */
export interface Reader<T> {
  readonly placed: T;
  readonly port: number;
}

/**
 * Readers and inputs of nodes, and the passes that each makes over its elements. Elements are numbered, and passes counted,
 * from the nearest origin upstream: a source, or an operator that puts its elements together before a loop sees them.
 */
export class Topology<T> {
  /** Upstream first. */
  readonly nodes: readonly T[];
  readonly operatorOf: (node: T) => Operator;
  readonly #byId: ReadonlyMap<string, T>;
  readonly #readers = new Map<T, Reader<T>[]>();
  readonly #passes = new Map<T, number>();
  readonly #places: ReadonlyMap<T, number>;

  /** `nodes` upstream first; inputs that are not among them are passed over. `epochs`: in place of those that were recorded. */
  constructor(nodes: readonly T[], operatorOf: (node: T) => Operator, epochs?: number) {
    this.nodes = nodes;
    this.operatorOf = operatorOf;
    this.#places = new Map(nodes.map((node, at) => [node, at]));
    this.#byId = new Map(nodes.map(node => [operatorOf(node).id, node]));
    for (const placed of nodes) {
      operatorOf(placed).inputs.forEach((id, port) => {
        const input = this.#byId.get(id);
        if (input !== undefined) entryOf(this.#readers, input, () => []).push({ placed, port });
      });
    }
    for (const node of nodes.toReversed()) {
      let passes = 1;
      for (const { placed } of this.readers(node)) passes = Math.max(passes, this.#asked(placed, epochs));
      this.#passes.set(node, passes);
    }
  }

  at(id: string): T | undefined {
    return this.#byId.get(id);
  }

  inputs(node: T): readonly T[] {
    return this.operatorOf(node).inputs.flatMap(id => this.#byId.get(id) ?? []);
  }

  readers(node: T): readonly Reader<T>[] {
    return this.#readers.get(node) ?? [];
  }

  /** Everything that reads from it, directly or through others; upstream first. */
  downstream(from: T): ReadonlySet<T> {
    const found = new Set<T>();
    const open = [from];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const { placed } of this.readers(node)) {
        if (found.has(placed)) continue;
        found.add(placed);
        open.push(placed);
      }
    }
    const placeOf = (node: T): number => this.#places.get(node) ?? 0;
    return new Set([...found].sort((a, b) => placeOf(a) - placeOf(b)));
  }

  /** Everything it reads from, directly or through others. */
  upstream(of: T): readonly T[] {
    const found = new Set<T>(this.inputs(of));
    for (const node of this.nodes.toReversed()) {
      if (found.has(node)) for (const input of this.inputs(node)) found.add(input);
    }
    return this.nodes.filter(node => found.has(node));
  }

  /** How often all repeats behind it together make it go through its elements; infinite before an endless one. */
  passes(node: T): number {
    return this.#passes.get(node) ?? 1;
  }

  /** Passes that `reader` makes over what it reads. A cache makes one: later ones are its own. */
  asked(reader: T): number {
    return this.#asked(reader, undefined);
  }

  #asked(reader: T, epochs: number | undefined): number {
    const operator = this.operatorOf(reader);
    if (operator.cache !== undefined) return 1;
    return this.passes(reader) * (operator.epochs === true ? (epochs ?? repeatsOf(operator)) : repeatsOf(operator));
  }

  isOrigin(node: T): boolean {
    return this.operatorOf(node).origin === true;
  }

  /** It keeps something from one element to the next, or is where elements come from. */
  isStateful(node: T): boolean {
    return this.operatorOf(node).stateful === true;
  }

  /** The nearest operator before port `port` of `reader` that keeps something. */
  statefulBefore(reader: T, port: number): T {
    let at = this.inputs(reader)[port];
    while (at !== undefined && !this.isStateful(at)) at = this.inputs(at)[0];
    if (at === undefined) throw new Error(`nothing leads to port ${port} of '${this.operatorOf(reader).id}'`);
    return at;
  }

  /** Passes of its origin that make up one pass of the operator's output. */
  perPass(node: T): number {
    let passes = 1;
    for (let at: T | undefined = node; at !== undefined && !this.isOrigin(at); at = this.inputs(at)[0]) {
      passes *= repeatsOf(this.operatorOf(at));
    }
    return passes;
  }

  /** Passes of its origin until a repeat starts the operator over; infinite where none does. */
  cycle(node: T): number {
    if (this.passes(node) === 1) return Number.POSITIVE_INFINITY;
    const [input] = this.inputs(node);
    return input === undefined || this.isOrigin(node) ? 1 : this.perPass(input);
  }

  /** An operator downstream can end a pass of it early, so that the number of remaining elements is unknown. */
  isCut(node: T): boolean {
    return [...this.downstream(node)].some(reader => cutsPasses(this.operatorOf(reader)) && this.passes(reader) > 1);
  }
}

/** Of operators in any order. */
export const topologyOf = <T extends Operator>(operators: readonly T[], epochs?: number): Topology<T> =>
  new Topology(operatorsUpstreamFirst(operators), operator => operator, epochs);

/** It may leave elements of a pass unread. */
export const cutsPasses = ({ limit, joins }: Operator): boolean => limit !== undefined || joins === 'shortest';

/** How often an operator starts everything upstream of it over. */
export const repeatsOf = ({ repeats = 1 }: Operator): number =>
  repeats === 'forever' ? Number.POSITIVE_INFINITY : repeats;
