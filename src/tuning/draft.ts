import type { Action, Change, Reason } from '../model/plan.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import type { PipelineModel } from './model.ts';
import { rewritten } from './rewrite.ts';

interface Step {
  readonly action: Action;
  readonly reason: Reason;
}

/** A plan in the making. Each operator has at most one change of a kind: a later one takes its place. */
export class Draft {
  /** As it was recorded. */
  readonly base: PipelineModel;
  readonly steps: readonly Step[];
  #evaluation: Evaluation | undefined;
  #model: PipelineModel | undefined;

  constructor(base: PipelineModel, steps: readonly Step[] = []) {
    this.base = base;
    this.steps = steps;
  }

  with(action: Action, reason: Reason): Draft {
    const others = this.without(action.operator, action.kind).steps;
    if (action.kind === 'parallelism' && action.to === this.#written(action.operator))
      return new Draft(this.base, others);
    return new Draft(this.base, [...others, { action, reason }]);
  }

  without(operator: string, kind: Action['kind']): Draft {
    return new Draft(
      this.base,
      this.steps.filter(({ action }) => action.operator !== operator || action.kind !== kind),
    );
  }

  has(operator: string, kind: Action['kind']): boolean {
    return this.steps.some(({ action }) => action.operator === operator && action.kind === kind);
  }

  /** What its author wrote. */
  #written(operator: string): number | undefined {
    return this.base.operators.find(({ id }) => id === operator)?.parallelism;
  }

  /** Threads of an operator; undefined: it rides along. */
  threads(operator: string, to: number | undefined, reason: Reason): Draft {
    const from = this.#written(operator);
    const action: Action = {
      kind: 'parallelism',
      operator,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    };
    return this.with(action, reason);
  }

  /** The pipeline with all of it. */
  get model(): PipelineModel {
    this.#model ??= rewritten(
      this.base,
      this.steps.map(({ action }) => action),
    );
    return this.#model;
  }

  get evaluation(): Evaluation {
    this.#evaluation ??= evaluate(this.model);
    return this.#evaluation;
  }

  /** With what each change and those before it lead to. */
  changes(band: (rate: number) => Change['forecast']): Change[] {
    return this.steps.map(({ action, reason }, at) => {
      const { rate } = new Draft(this.base, this.steps.slice(0, at + 1)).evaluation;
      const forecast = band(rate);
      return { action, reason, ...(forecast === undefined ? {} : { forecast }) };
    });
  }
}
