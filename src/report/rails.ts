import type { Charset } from './charset.ts';
import type { GraphNode } from './tree.ts';

/**
 * The edges of a graph as vertical rails beside its nodes, in the manner of `git log --graph`. Each rail is an edge
 * that was left and not reached yet; nodes must come upstream first.
 */
export class Rails {
  readonly #signs: Charset;
  readonly #consumers = new Map<string, string[]>();
  /** By column: the node the rail leads to. */
  readonly #rails: (string | undefined)[] = [];

  constructor(nodes: readonly GraphNode[], signs: Charset) {
    this.#signs = signs;
    const drawn = new Set<string>();
    for (const node of nodes) {
      for (const input of node.inputs) {
        // An edge back to a node drawn already cannot become a rail.
        if (!drawn.has(input)) continue;
        const readers = this.#consumers.get(input);
        if (readers === undefined) this.#consumers.set(input, [node.id]);
        else readers.push(node.id);
      }
      drawn.add(node.id);
    }
  }

  /** Whether no rail but the node's own is open. */
  isAlone(node: GraphNode): boolean {
    return this.#rails.every(target => target === undefined || target === node.id);
  }

  /** A line on which nothing happens. */
  idle(): string {
    return this.#line(() => undefined);
  }

  /** Lines that bring all rails to `node` into one. */
  enter(node: GraphNode): string[] {
    const columns = this.#columnsTo(node);
    const [into, ...others] = columns;
    return others.map(from => {
      const line = this.#span(into ?? 0, from, this.#signs.joinEnd);
      this.#rails[from] = undefined;
      return line;
    });
  }

  /** The node's own line. */
  node(node: GraphNode): string {
    const column = this.#columnsTo(node)[0] ?? this.#free();
    this.#rails[column] = node.id;
    const sign = node.emphasis === true ? this.#signs.emphasis : this.#signs.node;
    return this.#line(c => (c === column ? sign : undefined));
  }

  /** Lines that open a rail to each further consumer of `node`. */
  leave(node: GraphNode): string[] {
    const column = this.#columnsTo(node)[0] ?? 0;
    const [first, ...others] = this.#consumers.get(node.id) ?? [];
    this.#rails[column] = first;
    return others.map(consumer => {
      const to = this.#free(column + 1);
      this.#rails[to] = consumer;
      return this.#span(column, to, this.#signs.forkEnd);
    });
  }

  #columnsTo(node: GraphNode): number[] {
    return this.#rails.flatMap((target, column) => (target === node.id ? [column] : []));
  }

  #free(from = 0): number {
    let column = from;
    while (this.#rails[column] !== undefined) column++;
    return column;
  }

  /** A line with a sign in every column, else its rail, and a gap behind it. */
  #line(sign: (column: number) => string | undefined, gap: (column: number) => string = () => ' '): string {
    const rail = (column: number): string => (this.#rails[column] === undefined ? ' ' : this.#signs.rail);
    return Array.from(this.#rails, (_, column) => (sign(column) ?? rail(column)) + gap(column))
      .join('')
      .trimEnd();
  }

  /** A line on which a rail runs across from column `left` to column `right`. */
  #span(left: number, right: number, end: string): string {
    const { fork, across, crossing } = this.#signs;
    const sign = (column: number): string | undefined => {
      if (column === left) return fork;
      if (column === right) return end;
      if (column < left || column > right) return undefined;
      return this.#rails[column] === undefined ? across : crossing;
    };
    return this.#line(sign, column => (column >= left && column < right ? across : ' '));
  }
}
