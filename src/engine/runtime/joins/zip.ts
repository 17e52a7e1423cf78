import type { Piece } from '../stage/input.ts';
import { JoinInput } from './join-input.ts';

/** Arrays of one element from every input, as many as the shortest input has. */
export class ZipInput extends JoinInput {
  protected override gather(): Piece | Promise<Piece> {
    const { ports } = this;
    for (const port of ports) {
      const waiting = this.fill(port);
      if (waiting !== undefined) return waiting;
      if (port.over !== undefined) return this.endPass();
    }
    const count = Math.min(...ports.map(({ available }) => available));
    const rows: unknown[][] = [];
    for (let row = 0; row < count; row++) rows.push(ports.map(({ values, at }) => values[at + row]));
    for (const port of ports) port.at += count;
    return this.counter.elements(rows, 0, count);
  }
}
