import type { Piece } from '../input.ts';
import { JoinInput } from './join-input.ts';

/** All elements of the first input, then all of the second … */
export class ConcatInput extends JoinInput {
  #current = 0;

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
