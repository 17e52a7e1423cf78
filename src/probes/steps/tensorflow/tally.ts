import type { StepTraceBuilder } from '../../../model/step-trace-builder.ts';
import type { InputTally } from './dependencies.ts';
import type { NodeRun } from './node-run.ts';

/** What the files did not say. */
export class TraceTally {
  readonly #inputs: InputTally = {
    inputs: 0,
    unknown: 0,
    later: 0,
    untransferred: 0,
    numberedTransfers: 0,
    guessedTransfers: 0,
  };
  #ops = 0;
  #negative = 0;
  #shared = 0;
  #transfers = 0;
  #unsized = 0;
  readonly #forgotten: number;

  constructor(forgotten: number) {
    this.#forgotten = forgotten;
  }

  op({ duration, transfer }: NodeRun, bytes: number | undefined, isShared: boolean): void {
    this.#ops++;
    if (isShared) this.#shared++;
    if (duration < 0) this.#negative++;
    if (transfer?.kind !== 'receive') return;
    this.#transfers++;
    if (bytes === undefined) this.#unsized++;
  }

  inputs(tally: InputTally): void {
    this.#inputs.inputs += tally.inputs;
    this.#inputs.unknown += tally.unknown;
    this.#inputs.later += tally.later;
    this.#inputs.untransferred += tally.untransferred;
    this.#inputs.numberedTransfers += tally.numberedTransfers;
    this.#inputs.guessedTransfers += tally.guessedTransfers;
  }

  tell(builder: StepTraceBuilder): void {
    const { inputs, unknown, later, untransferred, numberedTransfers, guessedTransfers } = this.#inputs;
    builder.assume(
      'inputs that no recorded op made (fed, or folded into a constant): taken to be there',
      unknown,
      inputs,
    );
    builder.assume('inputs that were made only later (the way back of a loop): taken to be there', later, inputs);
    builder.assume('inputs from another device without a recorded transfer: taken to need none', untransferred, inputs);
    builder.assume('inputs bound to one of several transfers by the order of their numbers', numberedTransfers, inputs);
    builder.assume('inputs bound to a transfer by the order of time', guessedTransfers, inputs);
    builder.assume(
      'transfers that TensorFlow did not record: as in other steps, from when the tensor was made to when it was read',
      this.#forgotten,
      this.#transfers,
    );
    builder.assume(
      'transfers between processes without a size: RunMetadata has it, a timeline does not',
      this.#unsized,
      this.#transfers,
    );
    builder.assume('ops of servers in steps of several workers: counted to the first', this.#shared, this.#ops);
    builder.assume('ops that end before they start: taken to need no time', this.#negative, this.#ops);
  }
}
