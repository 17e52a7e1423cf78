import type { PlacedNode } from '../../compile/graph.ts';
import type { StageJournal } from '../checkpoint/stage-journal.ts';

/** Which passes end inside a stage. Their numbers tell, so that lanes that share a stage need not each see the ends of all passes. */
export class PassEnds {
  readonly #nodes: readonly PlacedNode[];
  /** Per operator: passes of its origin that make up one of what leaves it. */
  readonly #perPass: readonly number[];
  readonly #journal: Pick<StageJournal, 'isPast'> | undefined;

  constructor(
    nodes: readonly PlacedNode[],
    perPass: readonly number[],
    journal: Pick<StageJournal, 'isPast'> | undefined,
  ) {
    this.#nodes = nodes;
    this.#perPass = perPass;
    this.#journal = journal;
  }

  /** A repeat swallows the ends of all passes but its last. */
  absorbs(at: number, epoch: number): boolean {
    if (this.#journal?.isPast(at, epoch) === true) return true;
    return this.#nodes[at]?.node.kind === 'repeat' && (epoch + 1) % (this.#perPass[at] ?? 1) !== 0;
  }
}
