import type { PlacedNode } from '../../compile/graph.ts';
import type { StageJournal } from '../checkpoint/stage-journal.ts';

/** Passes counted by each repeat of a stage. */
export class Passes {
  readonly #nodes: readonly PlacedNode[];
  readonly #journal: StageJournal | undefined;
  readonly #counts: number[];

  constructor(nodes: readonly PlacedNode[], journal: StageJournal | undefined) {
    this.#nodes = nodes;
    this.#journal = journal;
    this.#counts = nodes.map(() => 0);
  }

  of(at: number): number {
    return this.#counts[at] ?? 0;
  }

  resume(at: number, passes: number): void {
    this.#counts[at] = passes;
  }

  /** A repeat swallows the ends of all passes but its last. */
  absorbs(at: number, epoch: number): boolean {
    if (this.#journal?.isPast(at, epoch) === true) return true;
    const node = this.#nodes[at]?.node;
    if (node?.kind !== 'repeat') return false;
    const times = node.settings.times === 'forever' ? Number.POSITIVE_INFINITY : Number(node.settings.times);
    const passes = this.of(at) + 1;
    this.#counts[at] = passes < times ? passes : 0;
    return passes < times;
  }
}
