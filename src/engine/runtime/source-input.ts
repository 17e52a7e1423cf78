import { isSeries, type SourceReader, type SourceSpec } from '../sources/source.ts';
import type { Input, Piece } from './input.ts';
import { PassCounter, type Passes } from './pass-counter.ts';
import type { Series } from './segment.ts';

const STEP_NS = 1e6;
/** Elements read at once are held in an array; a series holds nothing. */
const MOST_READ = 1 << 16;
const MOST_COUNTED = 1 << 20;

/** The source itself, pass after pass. */
export class SourceInput implements Input {
  readonly own: boolean;
  readonly series: Series | undefined;
  readonly continues = false;
  readonly waited = 0;
  readonly #spec: SourceSpec;
  readonly #counter: PassCounter;
  readonly #signal: AbortSignal;
  readonly #fixedStep: number | undefined;
  #reader: SourceReader | undefined;
  #step = 1;
  #least = 1;
  #wantedFrom = 0;

  constructor(spec: SourceSpec, passes: Passes, signal: AbortSignal, fixedStep: number | undefined) {
    this.#spec = spec;
    // A series is not read: the loop counts.
    this.series = isSeries(spec) ? spec.series : undefined;
    this.own = !isSeries(spec);
    this.#counter = new PassCounter(passes);
    this.#signal = signal;
    this.#fixedStep = fixedStep;
  }

  next(): Piece | Promise<Piece> {
    const { epoch, position } = this.#counter;
    if (epoch < this.#wantedFrom) return this.#endPass();
    const step = this.#fixedStep ?? this.#step;
    if (isSeries(this.#spec)) {
      const to = Math.min(this.#spec.series.count, position + step);
      return to === position ? this.#endPass() : this.#counter.elements(this.#spec.series, position, to);
    }
    if (this.#reader !== undefined) return this.#read(this.#reader, step);
    const opened = this.#spec({ signal: this.#signal, epoch });
    return opened instanceof Promise ? opened.then(reader => this.#read(reader, step)) : this.#read(opened, step);
  }

  ready(): boolean {
    return true;
  }

  #read(reader: SourceReader, step: number): Piece | Promise<Piece> {
    this.#reader = reader;
    const into: unknown[] = [];
    const count = reader.read(into, step);
    return count instanceof Promise ? count.then(arrived => this.#given(into, arrived)) : this.#given(into, count);
  }

  #given(into: unknown[], count: number): Piece | Promise<Piece> {
    return count === 0 ? this.#endPass() : this.#counter.elements(into, 0, count);
  }

  #endPass(): Piece | Promise<Piece> {
    const closing = this.#reader?.close();
    this.#reader = undefined;
    const piece = this.#counter.endPass(isSeries(this.#spec) ? this.#spec.series.count : undefined);
    return closing instanceof Promise ? closing.then(() => piece) : piece;
  }

  atLeast(elements: number): void {
    this.#least = elements;
    this.#step = Math.max(this.#step, elements);
  }

  used(piece: Piece, ns: number): void {
    if (piece.to - piece.from < this.#step) return;
    const most = this.series === undefined ? MOST_READ : MOST_COUNTED;
    if (ns < STEP_NS / 2) this.#step = Math.min(most, this.#step * 2);
    else if (ns > STEP_NS * 2) this.#step = Math.max(this.#least, this.#step >> 1);
  }

  pace(): void {}

  skipTo(epoch: number): void {
    this.#wantedFrom = epoch;
  }

  async cancel(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.close();
  }

  done(): number | undefined {
    if (isSeries(this.#spec)) return this.#counter.share(this.#counter.position / Math.max(1, this.#spec.series.count));
    return this.#counter.share(this.#reader === undefined ? 0 : this.#reader.done());
  }
}
