import type { Position } from '../books/position.ts';
import type { Input, Piece } from '../stage/input.ts';
import { PassCounter, type Passes, type SavedPasses } from '../stage/pass-counter.ts';
import type { Port } from './port.ts';

export interface SavedJoin {
  readonly passes: SavedPasses;
  readonly turn: unknown;
}

/** Elements put together from several inputs, in an order that does not depend on who is faster. */
export abstract class JoinInput implements Input {
  readonly own = true;
  protected readonly ports: readonly Port[];
  protected readonly counter: PassCounter;
  readonly #silent: readonly Port[];
  #wantedFrom = 0;

  constructor(ports: readonly Port[], passes: Passes, saved?: SavedJoin) {
    this.ports = ports;
    this.#silent = ports.filter(({ silent }) => silent);
    this.counter = new PassCounter(passes, saved?.passes);
  }

  save(): unknown {
    return { passes: this.counter.save(), turn: this.turn() } satisfies SavedJoin;
  }

  /** Whose turn it is, where that is more than the ports tell. */
  protected turn(): unknown {
    return undefined;
  }

  taken(): readonly Position[] {
    return this.ports.map(({ taken }) => taken);
  }

  get waited(): number {
    return this.ports.reduce((sum, { input }) => sum + input.waited, 0);
  }

  next(): Piece | Promise<Piece> {
    this.listen();
    return this.counter.epoch < this.#wantedFrom ? this.endPass() : this.gather();
  }

  /** A sink has nothing to give, so it has no turn; but it must not stand still because nobody hears that it goes on. */
  listen(): boolean {
    let heard = false;
    for (const port of this.#silent) heard = port.listen() || heard;
    return heard;
  }

  /** The next elements of the pass, or its end. */
  protected abstract gather(): Piece | Promise<Piece>;

  protected fill(port: Port): Piece | Promise<Piece> | undefined {
    const filling = port.fill();
    if (filling instanceof Promise) return filling.then(() => this.next());
    return port.over === 'closed' ? this.counter.closed() : undefined;
  }

  /** What the inputs have left of the pass is given up; all of them start the next one together. */
  protected endPass(): Piece | Promise<Piece> {
    const { last, epoch } = this.counter;
    const wanted = Math.max(epoch + 1, this.#wantedFrom);
    // All of them first: what several of them read from goes on only when all have left.
    if (!last) for (const port of this.ports) port.leave(wanted);
    const waits = this.ports.flatMap(port => {
      const left = last ? port.cancel() : port.drain();
      return left instanceof Promise ? [left] : [];
    });
    return waits.length === 0 ? this.#passOver() : Promise.all(waits).then(() => this.#passOver());
  }

  #passOver(): Piece {
    if (!this.counter.last && this.ports.some(({ over }) => over === 'closed')) return this.counter.closed();
    for (const port of this.ports) port.enterPass();
    this.enterPass();
    return this.counter.endPass();
  }

  protected enterPass(): void {}

  ready(): boolean {
    return this.ports.every(({ ready }) => ready);
  }

  atLeast(elements: number): void {
    for (const { input } of this.ports) input.atLeast?.(elements);
  }

  used(piece: Piece, ns: number): void {
    const count = piece.to - piece.from;
    if (count > 0) this.pace(ns / count);
  }

  pace(ns: number): void {
    for (const { input } of this.ports) input.pace?.(ns);
  }

  skipTo(epoch: number): void {
    this.#wantedFrom = epoch;
  }

  async cancel(): Promise<void> {
    await Promise.all(this.ports.map(port => port.cancel()));
  }
}
