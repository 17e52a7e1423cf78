import type { Input, Piece } from './input.ts';
import { NOTHING } from './input.ts';
import { type Output, Unwanted } from './output.ts';

/** Whoever fills a link, when asked to. */
export interface Producer {
  readonly finished: boolean;
  step(): void | Promise<void>;
}

/** A stage's input from another stage on the same thread: what is not there yet is produced now. */
export class LocalInput implements Input {
  readonly own = false;
  readonly series = undefined;
  readonly continues = false;
  readonly waited = 0;
  readonly #producer: () => Producer;
  readonly #queue: Piece[] = [];
  #taken = 0;
  skipBefore = 0;
  cancelled = false;

  constructor(producer: () => Producer) {
    this.#producer = producer;
  }

  push(piece: Piece): void {
    if (!this.cancelled) this.#queue.push(piece);
  }

  next(): Piece | Promise<Piece> {
    for (;;) {
      const piece = this.#queue[this.#taken];
      if (piece !== undefined) return this.#take(piece);
      const producer = this.#producer();
      if (producer.finished || this.cancelled) return { ...NOTHING, kind: 'closed', number: 0, epoch: 0 };
      const stepped = producer.step();
      if (stepped instanceof Promise) return stepped.then(() => this.next());
    }
  }

  #take(piece: Piece): Piece {
    this.#taken++;
    if (this.#taken === this.#queue.length) {
      this.#queue.length = 0;
      this.#taken = 0;
    } else if (this.#taken >= 1024) {
      this.#queue.splice(0, this.#taken);
      this.#taken = 0;
    }
    return piece;
  }

  ready(): boolean {
    return this.#taken < this.#queue.length;
  }

  atLeast(): void {}
  used(): void {}
  pace(): void {}

  skipTo(epoch: number): void {
    this.skipBefore = Math.max(this.skipBefore, epoch);
  }

  cancel(): void {
    this.cancelled = true;
    this.#queue.length = 0;
    this.#taken = 0;
  }

  done(): undefined {
    return undefined;
  }
}

/** A stage's output to others on the same thread. */
export class LocalOutput implements Output {
  readonly values: unknown[] = [];
  readonly sequence: number[] = [];
  readonly sub: number[] = [];
  count = 0;
  readonly flat = 0;
  readonly rest = 0;
  readonly limit = Number.POSITIVE_INFINITY;
  failed: number | undefined;
  epoch = 0;
  readonly spent = 0;
  readonly waited = 0;
  elements = 0;
  readonly bytes = 0;
  readonly rowLength = 0;
  readonly #readers: readonly LocalInput[];
  readonly #identity: boolean;
  #number = 0;

  constructor(readers: readonly LocalInput[], identity: boolean) {
    this.#readers = readers;
    this.#identity = identity;
  }

  get skipBefore(): number {
    return Math.min(
      ...this.#readers.map(({ skipBefore, cancelled }) => (cancelled ? Number.POSITIVE_INFINITY : skipBefore)),
    );
  }

  full(): void {}
  startChunk(): void {}

  endChunk(): void {
    this.#emit();
  }

  flushEpoch(): void {
    this.#emit();
  }

  mark(mark: 'epochEnd' | 'end'): void {
    this.#emit();
    this.#push({ ...NOTHING, kind: mark, number: this.#number++, epoch: this.epoch });
  }

  #emit(): void {
    const { count, epoch } = this;
    if (count === 0) return;
    const sequence = this.#identity ? this.sequence.slice(0, count) : undefined;
    const sub = this.#identity ? this.sub.slice(0, count) : undefined;
    const values = this.values.slice(0, count);
    this.values.length = 0;
    this.count = 0;
    this.elements += count;
    this.#push({ ...NOTHING, kind: 'elements', number: this.#number++, values, to: count, sequence, sub, epoch });
  }

  #push(piece: Piece): void {
    if (this.#readers.every(({ cancelled }) => cancelled)) throw new Unwanted();
    for (const reader of this.#readers) reader.push(piece);
  }
}
