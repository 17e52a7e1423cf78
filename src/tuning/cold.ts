import type { Action } from '../model/plan.ts';
import { taking } from '../prediction/bound/crossing.ts';
import { Draft } from './draft.ts';
import { evaluate } from './evaluate.ts';

/** Elements per second of the first pass with a cache: all that lies upstream still has to be done, and its output kept. */
export function coldRate(draft: Draft, cache: Action & { kind: 'cache' }): number {
  const { model } = new Draft(
    draft.base,
    draft.steps.map(step =>
      // A buffer stands where the cache will: a channel, and behind it a stage of its own.
      step.action === cache
        ? { ...step, action: { kind: 'prefetch' as const, operator: cache.operator, elements: 1 } }
        : step,
    ),
  );
  const operators = model.operators.map(operator =>
    operator.removable === true && operator.inputs[0] === cache.operator
      ? { ...operator, cpu: taking(operator, model.crossingFactor) }
      : operator,
  );
  return evaluate({ ...model, operators }).rate;
}

/** Elements per second over `passes` of them, the first of which fills the cache. */
export const meanRate = (cold: number, warm: number, passes: number): number =>
  Number.isFinite(passes) ? passes / (1 / cold + (passes - 1) / warm) : warm;

/** The pass by whose end a cache has paid for being filled, where `without` is the rate without one. */
export function paysAfter(cold: number, warm: number, without: number): number | undefined {
  if (!(warm > without)) return undefined;
  return Math.max(2, Math.ceil((1 / cold - 1 / warm) / (1 / without - 1 / warm) - 1e-9));
}
