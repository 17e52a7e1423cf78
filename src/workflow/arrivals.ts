import { consumedEnd, endsOf } from '../analysis/ends.ts';
import type { Run } from '../engine/contract/run.ts';
import type { End } from '../model/end.ts';

/** Counts the elements of a run that have come to an end: its consumer's and those in its sinks, or those of one operator. */
export class Arrivals {
  readonly ends: readonly End[];
  readonly #run: Run<unknown>;
  readonly #consumed: string | undefined;

  constructor(run: Run<unknown>, root?: string | undefined) {
    this.#run = run;
    // A running pipeline has one end beside its sinks, whatever has come out of it.
    this.ends = endsOf(run.graph, () => 0, root);
    this.#consumed = root === undefined ? consumedEnd(run.graph, () => 0)?.id : undefined;
  }

  /** So far, at each end. */
  each(): readonly (End & { readonly elements: number })[] {
    const { elements, operators } = this.#run.progress();
    return this.ends.map(({ operator, counted }) => ({
      operator,
      counted,
      // What has left the last operator may still be on its way to the consumer.
      elements: operator === this.#consumed ? elements : (operators.find(({ id }) => id === operator)?.[counted] ?? 0),
    }));
  }

  get elements(): number {
    return this.each().reduce((sum, { elements }) => sum + elements, 0);
  }
}
