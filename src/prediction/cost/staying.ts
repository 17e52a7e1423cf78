import type { Analysis } from '../../analysis/analysis.ts';
import type { CostOperator } from './model.ts';

/** Operators from which something was seen to leave that cannot go to another thread. What left its stage in the recording can. */
export function stayingOperators({ graph, rows }: Analysis): readonly string[] {
  const crossing = new Set(graph.stages.map(({ operators }) => operators.at(-1)));
  return rows.operators
    .filter(({ id, stayingElements = 0 }) => stayingElements > 0 && !crossing.has(id))
    .map(({ id }) => id);
}

/**
 * What stays in its thread is taken there by whoever reads it: where one of the two sees all elements in order, or gets them by itself, the
 * other cannot be divided either.
 */
export function tied(operators: readonly CostOperator[]): readonly CostOperator[] {
  const whole = new Set(operators.filter(each => each.sequential || each.origin === true).map(({ id }) => id));
  const staying = new Set(operators.filter(({ stays }) => stays).map(({ id }) => id));
  if (staying.size === 0) return operators;
  for (let before = -1; before < whole.size; ) {
    before = whole.size;
    for (const { id, inputs } of operators) {
      for (const input of inputs.filter(each => staying.has(each))) {
        if (whole.has(id)) whole.add(input);
        if (whole.has(input)) whole.add(id);
      }
    }
  }
  return operators.map(each => (whole.has(each.id) && each.origin !== true ? { ...each, sequential: true } : each));
}
