import { VenturiError } from '../../model/errors.ts';
import { operatorKind } from '../operators/registry.ts';
import type { PlacedNode } from './graph.ts';

/** An operator and the port at which it reads. */
export interface Reader {
  readonly placed: PlacedNode;
  readonly port: number;
}

/**
 * Who reads from whom, and how often each operator goes through its elements. Elements are numbered, and passes counted,
 * from the nearest origin upstream: a source, or an operator that puts its elements together from several inputs.
 */
export class Topology {
  readonly nodes: readonly PlacedNode[];
  readonly #byId: ReadonlyMap<string, PlacedNode>;
  readonly #readers = new Map<PlacedNode, Reader[]>();
  readonly #passes = new Map<PlacedNode, number>();

  /** `nodes` in the order of the data. */
  constructor(nodes: readonly PlacedNode[]) {
    this.nodes = nodes;
    this.#byId = new Map(nodes.map(placed => [placed.id, placed]));
    for (const placed of nodes) {
      placed.operator.inputs.forEach((id, port) => {
        const input = this.#at(id);
        this.#readers.set(input, [...this.readers(input), { placed, port }]);
      });
    }
    for (const placed of nodes.toReversed()) this.#passes.set(placed, this.#countPasses(placed));
  }

  #at(id: string): PlacedNode {
    const placed = this.#byId.get(id);
    if (placed === undefined) throw new Error(`no operator ${id}`);
    return placed;
  }

  inputs(placed: PlacedNode): readonly PlacedNode[] {
    return placed.operator.inputs.map(id => this.#at(id));
  }

  readers(placed: PlacedNode): readonly Reader[] {
    return this.#readers.get(placed) ?? [];
  }

  /** Everything that reads from it, directly or through others. */
  downstream(placed: PlacedNode): ReadonlySet<PlacedNode> {
    const found = new Set<PlacedNode>();
    for (const node of this.nodes) {
      if (this.inputs(node).some(input => input === placed || found.has(input))) found.add(node);
    }
    return found;
  }

  /** Everything it reads from, directly or through others. */
  upstream(placed: PlacedNode): readonly PlacedNode[] {
    const found = new Set<PlacedNode>(this.inputs(placed));
    for (const node of this.nodes.toReversed()) {
      if (found.has(node)) for (const input of this.inputs(node)) found.add(input);
    }
    return this.nodes.filter(node => found.has(node));
  }

  /** How often all repeats behind it together make it go through its elements. */
  passes(placed: PlacedNode): number {
    return this.#passes.get(placed) ?? 1;
  }

  #countPasses(placed: PlacedNode): number {
    const [first, ...others] = this.readers(placed).map(reader => ({ reader, passes: this.#asked(reader.placed) }));
    if (first === undefined) return 1;
    const other = others.find(({ passes }) => passes !== first.passes);
    if (other !== undefined) {
      const [one, two] = [first, other].map(({ reader, passes }) => `'${reader.placed.id}' wants ${times(passes)}`);
      throw new VenturiError('VENTURI_BAD_OPTION', `several operators read from '${placed.id}': ${one}, ${two}`, {
        remedy: 'repeat before they part or after they have come together, or build what lies before them twice',
      });
    }
    if (placed.node.kind === 'repeat' && isEndless(placed) && first.passes > 1) {
      const later = [...this.downstream(placed)].find(({ node }) => node.kind === 'repeat')?.id;
      throw new VenturiError(
        'VENTURI_BAD_OPTION',
        `'${placed.id}' repeats forever, so '${later}' cannot start it over`,
        { remedy: 'give the first one a number of times, or leave out the second (and --epochs, which adds one)' },
      );
    }
    return first.passes;
  }

  /** Passes `reader` makes over what it reads. A cache makes one: later ones are its own. */
  #asked(reader: PlacedNode): number {
    if (operatorKind(reader.node.kind).keeps === true) return 1;
    return this.passes(reader) * repeats(reader);
  }

  isOrigin({ node }: PlacedNode): boolean {
    return node.inputs.length === 0 || operatorKind(node.kind).origin === true;
  }

  /** It keeps something from one element to the next, or is where elements come from. */
  isStateful(placed: PlacedNode): boolean {
    return placed.operator.sequential || this.isOrigin(placed);
  }

  /** The nearest operator before port `port` of `reader` that keeps something. */
  statefulBefore(reader: PlacedNode, port: number): PlacedNode {
    let at = this.inputs(reader)[port];
    while (at !== undefined && !this.isStateful(at)) at = this.inputs(at)[0];
    if (at === undefined) throw new Error(`nothing leads to port ${port} of '${reader.id}'`);
    return at;
  }

  /** Passes of its origin that make up one pass of the operator's output. */
  perPass(placed: PlacedNode): number {
    let passes = 1;
    for (let at: PlacedNode | undefined = placed; at !== undefined && !this.isOrigin(at); at = this.inputs(at)[0]) {
      passes *= repeats(at);
    }
    return passes;
  }

  /** Passes of its origin until a repeat starts the operator over; infinite where none does. */
  cycle(placed: PlacedNode): number {
    if (this.passes(placed) === 1) return Number.POSITIVE_INFINITY;
    const [input] = this.inputs(placed);
    return input === undefined || this.isOrigin(placed) ? 1 : this.perPass(input);
  }

  /** Someone downstream can end a pass of it early, so that nobody knows how many elements were left. */
  isCut(placed: PlacedNode): boolean {
    return [...this.downstream(placed)].some(reader => CUTTING.has(reader.node.kind) && this.passes(reader) > 1);
  }
}

/** They may leave elements of a pass unread. */
const CUTTING = new Set(['take', 'zip']);

const isEndless = ({ node }: PlacedNode): boolean => node.settings.times === 'forever';

const repeats = (placed: PlacedNode): number => {
  if (placed.node.kind !== 'repeat') return 1;
  return isEndless(placed) ? Number.POSITIVE_INFINITY : Number(placed.node.settings.times);
};

const times = (passes: number): string =>
  passes === Number.POSITIVE_INFINITY ? 'it over and over' : passes === 1 ? 'it once' : `it ${passes} times`;
