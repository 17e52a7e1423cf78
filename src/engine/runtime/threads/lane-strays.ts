import { type StrayKind, strayError, watchStrays } from '../../../errors/stray-errors.ts';
import { describeThrown } from '../../../errors/thrown.ts';
import type { PlacedNode } from '../../compile/graph.ts';
import { policyOf } from '../../compile/node.ts';
import { runsUserCode } from '../books/stuck-work.ts';
import { isAnswer, type StopView } from '../calls/stop.ts';

/**
 * Errors in a lane's thread that no call of a function gave back. Which element they belong to nobody knows, so they fail the run,
 * unless every operator they can come from gives elements up.
 */
export class LaneStrays {
  /** The lane's operators, once they are known. */
  nodes: readonly PlacedNode[] = [];
  /** Once there are loops: whose line an error's stack leads to. */
  ownerOf: (error: unknown) => number | undefined = () => undefined;
  stop: StopView | undefined;
  readonly #thread: string;
  readonly #failed: (error: Error) => void;
  readonly #isAsked: () => boolean;
  #hasFailed = false;
  #count = 0;
  #first = '';
  readonly #late: (warning: string) => void;
  #isOver = false;

  /** `isAsked`: someone wants the run to end before its time. `late`: for what is found after `close`. */
  constructor(thread: string, isAsked: () => boolean, failed: (error: Error) => void, late: (warning: string) => void) {
    this.#thread = thread;
    this.#late = late;
    this.#isAsked = isAsked;
    this.#failed = failed;
    watchStrays((thrown, kind) => this.#found(thrown, kind));
  }

  #found(thrown: unknown, kind: StrayKind): void {
    if (this.stop !== undefined && isAnswer(this.stop, thrown)) return;
    const owner = this.nodes[this.ownerOf(thrown) ?? -1];
    const suspects = owner === undefined ? this.nodes.filter(runsUserCode) : [owner];
    const isGivenUp = suspects.length > 0 && suspects.every(({ node }) => policyOf(node)?.skip === true);
    const where = suspects.length === 0 ? `the worker '${this.#thread}'` : alternatives(suspects.map(({ id }) => id));
    if (isGivenUp || this.#isAsked()) {
      if (this.#count++ === 0) this.#first = `${where}: ${describeThrown(thrown)}`;
      // A thread that never waited hears of them when its work is done.
      if (this.#isOver && this.#count === 1) for (const warning of this.#warnings()) this.#late(warning);
      return;
    }
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const location = suspects.length === 1 ? suspects[0]?.operator.location : undefined;
    this.#failed(strayError(thrown, kind, where, location));
  }

  /** Those that did not fail the run. */
  close(): readonly string[] {
    this.#isOver = true;
    return this.#warnings();
  }

  #warnings(): readonly string[] {
    if (this.#count === 0) return [];
    const errors = this.#count === 1 ? 'an error' : `${this.#count} errors`;
    return [`Nobody caught ${errors} in callbacks or promises; the first was of ${this.#first}`];
  }
}

const alternatives = (ids: readonly string[]): string => ids.map(id => `'${id}'`).join(' or ');
