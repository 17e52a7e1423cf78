import { RightElement } from '../../operators/hash-join.ts';
import type { Piece } from '../stage/input.ts';
import { JoinInput } from './join-input.ts';

/** All elements of the right input, marked as such, then all of the left one. */
export class SidesInput extends JoinInput {
  protected override gather(): Piece | Promise<Piece> {
    const [left, right] = this.ports;
    if (left === undefined || right === undefined) throw new Error('a join reads from two');
    const port = right.over === undefined ? right : left;
    const waiting = this.fill(port);
    if (waiting !== undefined) return waiting;
    if (port.over !== undefined) return port === right ? this.gather() : this.endPass();
    const { values, at, to } = port;
    port.at = to;
    if (port === left) return this.counter.elements(values, at, to);
    const marked: RightElement[] = [];
    for (let index = at; index < to; index++) marked.push(new RightElement(values[index]));
    return this.counter.elements(marked, 0, marked.length);
  }
}
