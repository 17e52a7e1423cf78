import { hashText, Random } from '../../../math/random.ts';
import { badOption, describe } from '../../../model/option.ts';
import type { PlacedNode } from '../../compile/graph.ts';
import { Pipeline } from '../../description/pipeline.ts';
import { JoinInput, type SavedJoin } from '../joins/join-input.ts';
import type { Port } from '../joins/port.ts';
import type { Piece } from '../stage/input.ts';
import type { Passes } from '../stage/pass-counter.ts';
import { CycleSlot, type SavedSlot } from './cycle-slot.ts';
import { type InnerParts, openInner } from './inner.ts';

interface InterleaveParts extends InnerParts {
  /** It may be saved at any time. */
  readonly resumable: boolean;
}

interface SavedCycle {
  /** As checkpoints call its slots. */
  readonly places: readonly (SavedSlot | undefined)[];
  /** Slots, by number. */
  readonly free: readonly number[];
  readonly turn: number;
  readonly left: number;
  readonly opened: number;
}

/**
 * Every element opens a pipeline of its own. `cycle` of them are open at once, and `block` elements are taken from each in
 * turn; one that has no more makes room for the next element's, which has its turn when the cycle comes round to it.
 */
export class InterleaveInput extends JoinInput {
  readonly #placed: PlacedNode;
  readonly #port: Port;
  readonly #parts: InnerParts;
  readonly #seed: number;
  readonly #block: number;
  readonly #slots: readonly CycleSlot[];
  readonly #rng = new Random();
  /** Those without a pipeline, in the order in which they will get one. */
  #free: CycleSlot[];
  #turn = 0;
  #left: number;
  #opened = 0;
  /** In a run that was resumed, until the first element is asked for. */
  #saved: SavedCycle | undefined;

  constructor(placed: PlacedNode, port: Port, passes: Passes, seed: number, parts: InterleaveParts, saved?: SavedJoin) {
    super([port], passes, saved);
    this.#placed = placed;
    this.#port = port;
    this.#parts = parts;
    this.#seed = seed;
    this.#block = Number(placed.node.settings.block);
    this.#left = this.#block;
    this.#slots = Array.from({ length: Number(placed.node.settings.cycle) }, () => new CycleSlot(parts.resumable));
    this.#free = [...this.#slots];
    this.#saved = saved?.turn as SavedCycle | undefined;
  }

  get warnings(): readonly string[] {
    return this.#parts.losses.warnings;
  }

  protected override turn(): SavedCycle {
    return (
      this.#saved ?? {
        places: this.#slots.map(slot => slot.save()),
        free: this.#free.map(slot => this.#slots.indexOf(slot)),
        turn: this.#turn,
        left: this.#left,
        opened: this.#opened,
      }
    );
  }

  /** Opens what was open when the run was saved, and leaves out what had been handed on of it. */
  #takeUp({ places, free, turn, left, opened }: SavedCycle): void {
    this.#saved = undefined;
    this.#turn = turn;
    this.#left = left;
    this.#opened = opened;
    this.#free = free.flatMap(slot => this.#slots[slot] ?? []);
    places.forEach((saved, at) => {
      if (saved !== undefined) this.#slots[at]?.occupy(this.#open(saved.element, saved.number, saved.from), saved);
    });
  }

  protected override gather(): Piece | Promise<Piece> {
    if (this.#saved !== undefined) this.#takeUp(this.#saved);
    const gathered: unknown[] = [];
    // Large elements must not gather, however quickly they can be read: a piece holds about one read of each slot.
    let reads = this.#slots.length;
    for (;;) {
      const occupying = this.#occupy();
      if (occupying instanceof Promise) return this.#after(occupying, gathered);
      const slot = this.#slots[this.#turn];
      if (slot === undefined) throw new Error(`a cycle of ${this.#slots.length} has no slot ${this.#turn}`);
      if (slot.empty && !this.#free.includes(slot)) {
        // It has just come to its end.
        this.#free.push(slot);
        this.#pass();
        continue;
      }
      if (gathered.length > 0 && slot.available === 0 && !slot.empty && reads-- === 0) return this.#piece(gathered);
      const waiting = slot.empty ? this.#awaitInput(gathered) : slot.fill();
      if (waiting === 'over') return gathered.length > 0 ? this.#piece(gathered) : this.endPass();
      if (waiting === 'wait') return this.#piece(gathered);
      if (waiting === 'again') continue;
      if (waiting instanceof Promise) return this.#after(waiting, gathered);
      if (waiting !== undefined) return waiting;
      if (slot.empty) {
        if (this.#free.includes(slot)) this.#pass();
        continue;
      }
      this.#left -= slot.take(gathered, this.#left);
      if (this.#left === 0) this.#pass();
    }
  }

  /** It is the turn of a slot without a pipeline: is there anything to put there? */
  #awaitInput(gathered: readonly unknown[]): 'over' | 'wait' | 'again' | Piece | Promise<void> | undefined {
    const port = this.#port;
    if (port.over === 'closed') return this.counter.closed();
    if (port.over !== undefined) return this.#free.length === this.#slots.length ? 'over' : undefined;
    if (gathered.length > 0 && !port.ready) return 'wait';
    const filling = port.fill();
    return filling instanceof Promise ? filling : 'again';
  }

  #after(waiting: Promise<void>, gathered: unknown[]): Piece | Promise<Piece> {
    if (gathered.length === 0) return waiting.then(() => this.next());
    // Whoever waits for it next is told of its failure.
    waiting.catch(() => undefined);
    return this.#piece(gathered);
  }

  #piece(gathered: unknown[]): Piece {
    return this.counter.elements(gathered, 0, gathered.length);
  }

  #pass(): void {
    this.#turn = (this.#turn + 1) % this.#slots.length;
    this.#left = this.#block;
  }

  /** Puts the elements that are at hand into free slots. */
  #occupy(): void | Promise<void> {
    const port = this.#port;
    while (this.#free.length > 0 && (port.available > 0 || (port.over === undefined && port.ready))) {
      const filling = port.fill();
      if (filling instanceof Promise) return filling;
      if (port.available === 0) return undefined;
      const element = port.values[port.at++];
      const number = this.#opened++;
      this.#free.shift()?.occupy(this.#open(element, number), { element, number, from: undefined, taken: 0 });
    }
    return undefined;
  }

  #open(element: unknown, number: number, from?: unknown): ReturnType<typeof openInner> {
    const { id, node } = this.#placed;
    const open = node.call as (element: unknown) => unknown;
    const inner = open(element);
    if (!(inner instanceof Pipeline)) {
      throw badOption(
        `the function of '${id}' returned ${describe(inner)}, not a pipeline`,
        'return what range(), lines(), files() … and their operators give',
      );
    }
    // Its random numbers are its own: the same operators in two of them draw different ones.
    this.#rng.rekey(this.#seed, hashText(id), this.counter.epoch, number, 0);
    return openInner(inner, this.#rng.int(Number.MAX_SAFE_INTEGER), this.#parts, from);
  }

  protected override endPass(): Piece | Promise<Piece> {
    const closing = this.#close();
    return closing === undefined ? super.endPass() : closing.then(() => super.endPass());
  }

  #close(): Promise<unknown> | undefined {
    const waits = this.#slots.flatMap(slot => slot.clear() ?? []);
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  protected override enterPass(): void {
    this.#saved = undefined;
    this.#free = [...this.#slots];
    this.#turn = 0;
    this.#left = this.#block;
    this.#opened = 0;
  }

  override async cancel(): Promise<void> {
    await this.#close();
    await super.cancel();
  }
}
