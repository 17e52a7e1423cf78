import { MOST_ELEMENTS } from '../../compile/chunk-size.ts';
import type { Piece } from '../stage/input.ts';
import type { Passes } from '../stage/pass-counter.ts';
import { JoinInput, type SavedJoin } from './join-input.ts';
import type { Port } from './port.ts';

interface SavedTurn {
  readonly turn?: number;
  readonly left?: number;
}

/**
 * `block` elements from each input in turn; one that is used up is passed over. An input that never yields anything, because
 * it ends in a sink, has no turn: only its end is waited for.
 */
export class MergeInput extends JoinInput {
  readonly #block: number;
  readonly #speaking: readonly Port[];
  #turn: number;
  /** Elements the input whose turn it is may still give. */
  #left: number;

  constructor(ports: readonly Port[], passes: Passes, block: number, saved?: SavedJoin) {
    super(ports, passes, saved);
    const { turn = 0, left = block } = (saved?.turn as SavedTurn | undefined) ?? {};
    this.#block = block;
    this.#turn = turn;
    this.#left = left;
    this.#speaking = ports.filter(({ silent }) => !silent);
  }

  protected override turn(): SavedTurn {
    return { turn: this.#turn, left: this.#left };
  }

  protected override gather(): Piece | Promise<Piece> {
    const gathered: unknown[] = [];
    // A piece holds about a chunk of each input: inputs that are always ahead would fill the memory with large elements before any is handed on.
    let refills = this.#speaking.length;
    for (;;) {
      const port = this.#whoseTurn();
      if (port === undefined) return gathered.length > 0 ? this.#piece(gathered) : this.#awaitSinks();
      const isEmpty = port.available === 0 && port.over === undefined;
      const isEnough = gathered.length >= MOST_ELEMENTS || (isEmpty && refills-- === 0);
      if (gathered.length > 0 && (isEnough || !port.ready)) return this.#piece(gathered);
      const filling = port.fill();
      if (filling instanceof Promise) {
        if (gathered.length === 0) return filling.then(() => this.next());
        return filling.then(() => this.#piece(gathered));
      }
      if (port.over === 'closed') return this.counter.closed();
      if (port.over !== undefined) {
        this.#pass();
        continue;
      }
      const count = Math.min(this.#left, port.available);
      for (let taken = 0; taken < count; taken++) gathered.push(port.values[port.at++]);
      this.#left -= count;
      if (this.#left === 0) this.#pass();
    }
  }

  #piece(gathered: unknown[]): Piece {
    return this.counter.elements(gathered, 0, gathered.length);
  }

  /** Undefined: every input's pass is over. */
  #whoseTurn(): Port | undefined {
    for (let tried = 0; tried < this.#speaking.length; tried++) {
      const port = this.#speaking[this.#turn];
      if (port?.over === undefined || port.over === 'closed') return port;
      this.#pass();
    }
    return undefined;
  }

  #pass(): void {
    this.#turn = (this.#turn + 1) % this.#speaking.length;
    this.#left = this.#block;
  }

  /** Everything has been handed on; the sinks beside it may take longer. */
  #awaitSinks(): Piece | Promise<Piece> {
    for (const port of this.ports) {
      const waiting = this.fill(port);
      if (waiting !== undefined) return waiting;
    }
    return this.endPass();
  }

  protected override enterPass(): void {
    this.#turn = 0;
    this.#left = this.#block;
  }
}
