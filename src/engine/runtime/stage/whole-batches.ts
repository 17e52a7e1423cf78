import type { Input } from './input.ts';
import type { Output } from './output.ts';
import type { Program } from './program.ts';

/** Where a lane makes whole batches of every chunk, or lanes downstream do: nothing of one is kept for the next. */
export class WholeBatches {
  readonly #gatherers: readonly number[];
  readonly #input: Pick<Input, 'continues' | 'atMost'>;
  readonly #output: Pick<Output, 'missing'>;

  /** `gatherers`: operators that make them here. */
  constructor(
    gatherers: readonly number[],
    input: Pick<Input, 'continues' | 'atMost'>,
    output: Pick<Output, 'missing'>,
  ) {
    this.#gatherers = gatherers;
    this.#input = input;
    this.#output = output;
  }

  /** A chunk was worked on to its end: whatever is left over behind whole batches is the rest of a pass. */
  get endHere(): boolean {
    return this.#gatherers.length > 0 && this.#input.continues !== true;
  }

  /** The next chunk has nothing to do with what came before. */
  beginAnew(program: Program): void {
    for (const at of this.#gatherers) program.segmentOf(at)?.reset(at);
  }

  /** What was sent is whole batches. Where it is not, the input gives no more than they lack. */
  areSent(): boolean {
    const { missing } = this.#output;
    if (missing > 0) this.#input.atMost?.(missing);
    return missing === 0;
  }
}
