import { OP_WORK, type OpWork, type ResourceKind, type StepTrace } from '../../model/step-trace.ts';

/** Tells ops of a trace by what they do, where and of which rank. */
export class OpKinds {
  readonly #trace: StepTrace;
  readonly #kindOf: readonly ResourceKind[];
  readonly #rankOf: readonly number[];

  constructor(trace: StepTrace) {
    this.#trace = trace;
    this.#kindOf = trace.resources.map(({ kind }) => kind);
    this.#rankOf = trace.resources.map(({ rank }) => rank ?? -1);
  }

  work(op: number): OpWork {
    return OP_WORK[this.#trace.ops.work[op] ?? 0] ?? 'other';
  }

  resource(op: number): ResourceKind {
    return this.#kindOf[this.#trace.ops.resource[op] ?? 0] ?? 'host';
  }

  /** Position in the trace's `ranks`; -1 where several share its resource. */
  rank(op: number): number {
    return this.#rankOf[this.#trace.ops.resource[op] ?? 0] ?? -1;
  }

  name(op: number): string {
    const { ops } = this.#trace;
    return ops.names[ops.name[op] ?? 0] ?? '';
  }
}
