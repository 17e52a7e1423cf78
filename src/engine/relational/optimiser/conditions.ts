import { partsOf, withParts } from '../expression.ts';
import type { Expression, Schema } from '../plan.ts';
import { columnIn } from '../typing.ts';

/** Conditions that all must hold, in the order in which they are looked at. */
export function conjuncts(condition: Expression): readonly Expression[] {
  return condition.kind === 'and' ? [...conjuncts(condition.left), ...conjuncts(condition.right)] : [condition];
}

/** All of them as one; undefined where there is none. */
export function conjunction(conditions: readonly Expression[]): Expression | undefined {
  const [first, ...others] = conditions;
  if (first === undefined) return undefined;
  return others.reduce((left, right): Expression => ({ kind: 'and', left, right }), first);
}

/** The same over what `columns` are made of. */
export function substituted(expression: Expression, columns: ReadonlyMap<string, Expression>): Expression {
  if (expression.kind === 'column') return columns.get(expression.name) ?? expression;
  return withParts(expression, part => substituted(part, columns));
}

/** Whether it may be an error for a row: such an expression is never evaluated for rows that the plan, as it is written, drops before. */
export const mayFail = (expression: Expression): boolean =>
  (expression.kind === 'arithmetic' && expression.operator === '/') || partsOf(expression).some(mayFail);

/** NaN as a key is an error. */
export function keyMayFail(schema: Schema, key: string): boolean {
  const { type, isWhole } = columnIn(schema, key);
  return type === 'number' && !isWhole;
}
