import { badOption } from '../../model/option.ts';
import { givenList } from './given.ts';
import { givenPlan, givenTerm } from './given-parts.ts';
import type { Arithmetic, Comparison, DatePart, Expression, Plan } from './plan.ts';
import { type ColumnType, dayOf } from './table.ts';

export type Operand = Term | number | string | boolean;

/** Builds expressions: `col('l_discount').between(0.05, 0.07).and(col('l_quantity').lt(24))`. */
export class Term {
  readonly expression: Expression;

  constructor(expression: Expression) {
    this.expression = expression;
  }

  plus = (right: Operand): Term => this.#arithmetic('+', right);
  minus = (right: Operand): Term => this.#arithmetic('-', right);
  times = (right: Operand): Term => this.#arithmetic('*', right);
  over = (right: Operand): Term => this.#arithmetic('/', right);
  eq = (right: Operand): Term => this.#comparison('=', right);
  ne = (right: Operand): Term => this.#comparison('<>', right);
  lt = (right: Operand): Term => this.#comparison('<', right);
  le = (right: Operand): Term => this.#comparison('<=', right);
  gt = (right: Operand): Term => this.#comparison('>', right);
  ge = (right: Operand): Term => this.#comparison('>=', right);
  between = (low: Operand, high: Operand): Term => this.ge(low).and(this.le(high));
  and = (right: Operand): Term => new Term({ kind: 'and', left: this.expression, right: expressionOf(right) });
  or = (right: Operand): Term => new Term({ kind: 'or', left: this.expression, right: expressionOf(right) });
  not = (): Term => new Term({ kind: 'not', of: this.expression });
  isNull = (): Term => new Term({ kind: 'isNull', of: this.expression });
  /** `%` stands for any text, `_` for any one character. */
  like = (pattern: string): Term => {
    if (typeof pattern !== 'string') throw badOption('like: the pattern is no text', "give a text: like('%steel%')");
    return new Term({ kind: 'like', of: this.expression, pattern });
  };
  in = (values: readonly (number | string)[]): Term =>
    new Term({ kind: 'in', of: this.expression, values: givenList('in', values, "['Bern', 'Graz']") });
  year = (): Term => this.#extract('year');
  month = (): Term => this.#extract('month');
  day = (): Term => this.#extract('day');

  /** `length` characters from the `from`-th on, the first being 1. */
  substring(from: number, length: number): Term {
    if (!Number.isInteger(from) || from < 1 || !Number.isInteger(length) || length < 0) {
      throw badOption(`substring: from ${from}, length ${length}`, 'give whole numbers, from 1 on');
    }
    return new Term({ kind: 'substring', of: this.expression, from, length });
  }

  #extract(part: DatePart): Term {
    return new Term({ kind: 'extract', part, of: this.expression });
  }

  #arithmetic(operator: Arithmetic, right: Operand): Term {
    return new Term({ kind: 'arithmetic', operator, left: this.expression, right: expressionOf(right) });
  }

  #comparison(operator: Comparison, right: Operand): Term {
    return new Term({ kind: 'comparison', operator, left: this.expression, right: expressionOf(right) });
  }
}

export const col = (name: string): Term => new Term({ kind: 'column', name });

export const lit = (value: number | string | boolean): Term => new Term(expressionOf(value));

/** A date written as `1995-03-15`. */
export const date = (text: string): Term => new Term({ kind: 'constant', type: 'date', value: dayOf(text) });

/** `CASE WHEN condition THEN value ELSE otherwise END`. */
export const when = (condition: Term, value: Operand, otherwise: Operand): Term =>
  new Term({
    kind: 'case',
    when: givenTerm('when', condition),
    value: expressionOf(value),
    otherwise: expressionOf(otherwise),
  });

/** The only value of a relation of one row and one column; null where it has no row. */
export const scalar = (relation: { readonly plan: Plan }): Term =>
  new Term({ kind: 'scalar', plan: givenPlan('scalar', relation) });

export function expressionOf(operand: Operand): Expression {
  if (operand instanceof Term) return operand.expression;
  switch (typeof operand) {
    case 'number':
    case 'string':
    case 'boolean':
      return { kind: 'constant', type: typeof operand as ColumnType, value: operand };
    default:
      throw badOption(`${String(operand)} is no part of an expression`, 'give a term, a number, a text or a boolean');
  }
}

/** Its direct parts. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'column':
    case 'constant':
    case 'scalar':
      return [];
    case 'arithmetic':
    case 'comparison':
    case 'and':
    case 'or':
      return [expression.left, expression.right];
    case 'case':
      return [expression.when, expression.value, expression.otherwise];
    default:
      return [expression.of];
  }
}

/** The names of its columns, each once. */
export function columnsOf(expression: Expression): ReadonlySet<string> {
  const names = expression.kind === 'column' ? [expression.name] : [];
  return new Set([...names, ...partsOf(expression).flatMap(part => [...columnsOf(part)])]);
}

/** The same with its direct parts changed; the same object where none is. */
export function withParts(expression: Expression, change: (part: Expression) => Expression): Expression {
  switch (expression.kind) {
    case 'column':
    case 'constant':
    case 'scalar':
      return expression;
    case 'arithmetic':
    case 'comparison':
    case 'and':
    case 'or': {
      const [left, right] = [change(expression.left), change(expression.right)];
      return left === expression.left && right === expression.right ? expression : { ...expression, left, right };
    }
    case 'case': {
      const [when, value, otherwise] = [expression.when, expression.value, expression.otherwise].map(change);
      if (when === undefined || value === undefined || otherwise === undefined) return expression;
      const isSame = when === expression.when && value === expression.value && otherwise === expression.otherwise;
      return isSame ? expression : { ...expression, when, value, otherwise };
    }
    default: {
      const of = change(expression.of);
      return of === expression.of ? expression : { ...expression, of };
    }
  }
}
