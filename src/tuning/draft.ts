import type { RuntimeRules } from '../graph/runtime-rules.ts';
import type { Interval } from '../math/statistics.ts';
import type { Action, Change, Reason } from '../model/plan.ts';
import { type Arrangement, arrange } from '../prediction/cost/arrangement.ts';
import { type Evaluation, evaluate } from '../prediction/cost/evaluate.ts';
import { bandOf, forecast } from '../prediction/cost/forecast.ts';
import type { CostModel } from '../prediction/cost/model.ts';

interface Step {
  readonly action: Action;
  readonly reason: Reason;
}

/** A plan in the making. Each operator has at most one change of a kind: a later one takes its place. */
export class Draft {
  /** As it was recorded. */
  readonly base: CostModel;
  readonly rules: RuntimeRules;
  readonly steps: readonly Step[];
  #evaluation: Evaluation | undefined;
  #arrangement: Arrangement | undefined;

  constructor(base: CostModel, rules: RuntimeRules, steps: readonly Step[] = []) {
    this.base = base;
    this.rules = rules;
    this.steps = steps;
  }

  with(action: Action, reason: Reason): Draft {
    const others = this.without(action.operator, action.kind).steps;
    if (action.kind === 'parallelism' && action.to === this.#written(action.operator)) return this.#of(others);
    return this.#of([...others, { action, reason }]);
  }

  without(operator: string, kind: Action['kind']): Draft {
    return this.#of(this.steps.filter(({ action }) => action.operator !== operator || action.kind !== kind));
  }

  #of(steps: readonly Step[]): Draft {
    return new Draft(this.base, this.rules, steps);
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
  get arrangement(): Arrangement {
    this.#arrangement ??= this.#arranged('later');
    return this.#arrangement;
  }

  #arranged(pass: 'first' | 'later'): Arrangement {
    const actions = this.steps.map(({ action }) => action);
    return arrange(this.base, actions, { rules: this.rules, pass });
  }

  get evaluation(): Evaluation {
    this.#evaluation ??= evaluate(this.base, this.arrangement);
    return this.#evaluation;
  }

  get lanes(): number {
    return this.arrangement.stages.reduce((sum, { lanes }) => sum + lanes, 0);
  }

  /** The forecast with its band, however wide. */
  get band(): Interval {
    return bandOf(this.base, this.arrangement, this.evaluation.rate);
  }

  /** Evaluated elements per second of the first pass, in which a cache is filled. */
  get coldRate(): number {
    return evaluate(this.base, this.#arranged('first')).rate;
  }

  /** Forecast of the first pass. */
  get coldBand(): Interval {
    return bandOf(this.base, this.#arranged('first'), this.coldRate);
  }

  /** With the forecast of each change and those before it, where that can be told. */
  get changes(): Change[] {
    return this.steps.map(({ action, reason }, at) => {
      const { arrangement } = this.#of(this.steps.slice(0, at + 1));
      const { rate, doubts } = forecast(this.base, arrangement);
      return { action, reason, ...(doubts.length > 0 ? {} : { forecast: rate }) };
    });
  }
}
