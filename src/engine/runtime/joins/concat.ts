import type { Piece } from '../stage/input.ts';
import type { Passes } from '../stage/pass-counter.ts';
import { JoinInput, type SavedJoin } from './join-input.ts';
import type { Port } from './port.ts';

/** All elements of the first input, then all of the second … */
export class ConcatInput extends JoinInput {
  #current: number;

  constructor(ports: readonly Port[], passes: Passes, saved?: SavedJoin) {
    super(ports, passes, saved);
    this.#current = (saved?.turn as number | undefined) ?? 0;
  }

  protected override turn(): number {
    return this.#current;
  }

  protected override gather(): Piece | Promise<Piece> {
    for (let port = this.ports[this.#current]; port !== undefined; port = this.ports[++this.#current]) {
      const waiting = this.fill(port);
      if (waiting !== undefined) return waiting;
      if (port.over !== undefined) continue;
      const { values, at, to } = port;
      port.at = to;
      return this.counter.elements(values, at, to);
    }
    return this.endPass();
  }

  protected override enterPass(): void {
    this.#current = 0;
  }
}
