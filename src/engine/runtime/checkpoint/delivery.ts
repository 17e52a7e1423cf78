import { CONSUMER } from '../../../model/consumer.ts';
import { VenturiError } from '../../../model/errors.ts';
import { BEGINNING, compare, type Position, Tally } from '../books/position.ts';
import type { InputStart, JournalEntry } from './journal-entry.ts';

/** The consumer's end: which elements it has been handed, and which it had before the run was resumed. */
export class Delivery {
  readonly #arrived: Tally;
  readonly #until: Position;
  readonly #post: ((entry: JournalEntry) => void) | undefined;
  /** Where the elements that came last begin, and how many had been handed out before them. */
  start: Position;
  before: number;
  /** Elements handed out in all, those before the run was resumed included. */
  elements: number;

  /** `elements`: how many there were before the run was resumed. */
  constructor(start: InputStart | undefined, elements: number, post: ((entry: JournalEntry) => void) | undefined) {
    this.#arrived = new Tally(start?.from);
    this.#until = start?.until ?? BEGINNING;
    this.#post = post;
    this.start = this.#until;
    this.before = elements;
    this.elements = elements;
  }

  /** `count` elements of pass `epoch` have come. Gives how many of them the consumer has had. */
  arrived(epoch: number, count: number): number {
    this.#arrived.passed(epoch, 0);
    const { index } = this.#arrived.position;
    const missing = epoch === this.#until.epoch ? this.#until.index - index : epoch < this.#until.epoch ? count : 0;
    const had = Math.min(count, Math.max(0, missing));
    this.#arrived.passed(epoch, count);
    if (had === count) return had;
    this.start = { epoch, index: index + had };
    this.before = this.elements;
    this.elements += count - had;
    return had;
  }

  /** What has been handed out, where `pending` of the elements that came last have not. */
  position(pending: number): Position {
    const handed = this.elements - this.before - pending;
    return { epoch: this.start.epoch, index: this.start.index + handed };
  }

  /** All elements have come: those before the checkpoint too, one hopes. */
  ended(): void {
    if (compare(this.#arrived.position, this.#until) >= 0) return;
    throw new VenturiError(
      'VENTURI_CHECKPOINT_STALE',
      'the run came to its end before it had come to where it was saved: its sources have fewer elements than they had',
      { remedy: 'give them the data they had then, or start from the beginning' },
    );
  }

  /** Where an operator upstream stood when all this had been sent. */
  landmark(of: Position): void {
    const at = this.#arrived.under(of);
    if (compare(at, this.#until) < 0) return;
    this.#post?.({ snapshots: [], landmarks: [{ reader: CONSUMER, port: 0, of, at }] });
  }
}
