import type { OperatorKind } from '../operators/kind.ts';

export interface FusedOperator {
  readonly kind: OperatorKind;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly wantsContext: boolean;
  /** The function may give an element up: its result is then `skipped`. */
  readonly skips: boolean;
  /** In a run that was resumed: elements it has had before the run was saved may come again, and are dropped before it. */
  readonly discards: boolean;
}

export interface FuseOptions {
  /** The segment's input is this arithmetic series instead of an array. */
  readonly series: { readonly start: number; readonly step: number } | undefined;
  /** The last operator, a batch, leaves its items flat. */
  readonly flat: boolean;
  /** Some operator here or downstream asks which element it has. */
  readonly identity: boolean;
  /** Generate a second, timed copy of the loop's body for sampled elements. */
  readonly timed: boolean;
  /** Makes the source text unique: V8 shares type feedback between functions compiled from the same text. */
  readonly nonce: string;
}

/** The operators that become one loop, and what follows from which of them there are. */
export class FusedChain {
  readonly operators: readonly FusedOperator[];
  readonly options: FuseOptions;
  /** Operators that hand elements on through a function, because they do so from more than one place. */
  readonly handing: readonly number[];

  constructor(operators: readonly FusedOperator[], options: FuseOptions) {
    this.operators = operators;
    this.options = options;
    this.handing = operators.flatMap(({ kind }, at) => (kind.flush === undefined || this.isFlat(at) ? [] : [at]));
  }

  at(at: number): FusedOperator {
    const operator = this.operators[at];
    if (operator === undefined) throw new Error(`no operator at ${at}`);
    return operator;
  }

  isFlat(at: number): boolean {
    return this.options.flat && at === this.operators.length - 1;
  }

  /** An operator, or one behind `at`, may want no more elements. */
  mayStop(at = -1): boolean {
    return this.operators.some(({ kind }, other) => other > at && kind.kind === 'take');
  }

  /** Variables of the operators whose code is in the loop itself: those up to the first that hands on by a function. */
  owned(): readonly { readonly name: string; readonly counts: boolean }[] {
    const last = this.handing[0] ?? this.operators.length;
    return this.operators
      .slice(0, last + 1)
      .flatMap((operator, at) => [
        ...(changesCount(operator) ? [{ name: `out${at}`, counts: true }] : []),
        ...(operator.kind.owned?.(this.isFlat(at)) ?? []).map(name => ({ name: `${name}${at}`, counts: false })),
      ]);
  }
}

/** Only such operators count what leaves them; the others pass on their neighbour's count. */
export const changesCount = ({ kind, skips }: FusedOperator): boolean => skips || kind.sameCount !== true;
