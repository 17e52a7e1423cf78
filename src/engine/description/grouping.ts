import { badOption, describe, wholeNumber } from '../../model/option.ts';
import { isAsync, type UserFunction } from '../compile/node.ts';
import { perWorker } from '../contract/context.ts';
import { setUpOperator } from '../operators/defined.ts';
import { type Grouping, grouped } from '../operators/group-by.ts';
import type { KeepOptions, Mapper, Step } from './operator-options.ts';

/** Of an element, whatever its type is. */
export type GroupKey = (element: never) => unknown;

type Grouped<V> = Omit<Grouping<never, unknown, V>, 'owner' | 'limit'>;

/** Groups that a function of the author's makes something of. */
export function reduced<V>(
  key: GroupKey,
  step: (value: V, element: never) => V,
  initial: V | (() => V),
  options: KeepOptions,
): Step<never> {
  checkedSync('reduce', 'step', step);
  return stepOf('reduce', { key, first: firstOf(initial), step, collects: false }, [key, step], options);
}

export const counted = (key: GroupKey, options: KeepOptions): Step<never> =>
  stepOf('count', { key, first: () => 0, step: (count: number) => count + 1, collects: false }, [key], options);

export function summed(key: GroupKey, of: (element: never) => number, options: KeepOptions): Step<never> {
  checkedSync('sum', 'of', of);
  const step = (sum: number, element: never): number => sum + checkedNumber(of(element));
  return stepOf('sum', { key, first: () => 0, step, collects: false }, [key, of], options);
}

export function collected(key: GroupKey, options: KeepOptions): Step<never> {
  const step = (elements: unknown[], element: unknown): unknown[] => {
    elements.push(element);
    return elements;
  };
  return stepOf('collect', { key, first: () => [], step, collects: true }, [key], options);
}

function stepOf<V>(by: string, grouping: Grouped<V>, madeOf: readonly unknown[], options: KeepOptions): Step<never> {
  const { limit, name = 'groupBy' } = options;
  if (limit !== undefined) wholeNumber('groupBy', 'limit', limit, 1);
  const operator = grouped({ ...grouping, owner: `'${name}'`, limit });
  return {
    options,
    call: perWorker<Mapper<never, unknown>>(worker => setUpOperator(operator, worker)),
    madeOf: madeOf as readonly UserFunction[],
    settings: { by, limit },
  };
}

/** An object would be one for all groups, and for every pass. */
function firstOf<V>(initial: V | (() => V)): () => V {
  if (typeof initial === 'function') return initial as () => V;
  if (typeof initial !== 'object' || initial === null) return () => initial;
  throw badOption(
    'reduce: all groups would begin with the same object',
    'give a function that makes one: reduce(step, () => [])',
  );
}

function checkedNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new TypeError(`a sum is of numbers, and this is of type ${typeof value}: convert it, or use reduce()`);
}

export const checkedKey = <F>(key: F): F => checkedSync('groupBy', 'key', key);

/** A function whose result is needed at once. */
export function checkedSync<F>(operator: string, which: string, call: F): F {
  if (typeof call !== 'function') {
    throw badOption(`${operator}: ${which} is ${describe(call)}, not a function`, 'give a function of an element');
  }
  if (!isAsync(call)) return call;
  throw badOption(`${operator}: ${which} cannot be async`, 'do what is async in a map before it');
}
