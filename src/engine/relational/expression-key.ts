import type { Expression, Plan } from './plan.ts';

const numbers = new WeakMap<Plan, number>();
let plans = 0;

function numberOf(plan: Plan): number {
  const known = numbers.get(plan) ?? plans++;
  numbers.set(plan, known);
  return known;
}

/** Equal for expressions that are. */
export const keyOfExpression = (expression: Expression): string =>
  JSON.stringify(expression, (name, value: unknown) =>
    name === 'plan'
      ? numberOf(value as Plan)
      : Object.is(value, -0)
        ? '-0'
        : typeof value === 'number'
          ? `${value}`
          : value,
  );
