import { badOption, describe, wholeNumber } from '../../model/option.ts';
import type { UserFunction } from '../compile/node.ts';
import { perWorker } from '../contract/context.ts';
import { setUpOperator } from '../operators/defined.ts';
import { joined } from '../operators/hash-join.ts';
import { checkedSync, type GroupKey } from './grouping.ts';
import type { JoinOptions, Mapper, Step } from './operator-options.ts';

/** The key of either side: the name of a property that both have, or a function of each side's elements. */
export type JoinKey<T, U> =
  | (keyof T & keyof U & string)
  | { readonly left: (element: T) => unknown; readonly right: (element: U) => unknown };

const KINDS = ['inner', 'left', 'semi', 'anti'] as const;

/** A join as an operator, but for its inputs. */
export function joinStep<T, U>(on: JoinKey<T, U>, options: JoinOptions): Omit<Step<T>, 'options' | 'others'> {
  const { how = 'inner', limit, name = 'join' } = options;
  if (!KINDS.includes(how)) throw badOption(`join: how is ${describe(how)}`, `give one of ${KINDS.join(', ')}`);
  if (limit !== undefined) wholeNumber('join', 'limit', limit, 1);
  const { left, right } = keysOf(on);
  const operator = joined({ owner: `'${name}'`, how, left, right, limit });
  return {
    call: perWorker<Mapper<T, unknown>>(worker => setUpOperator(operator, worker)),
    madeOf: typeof on === 'string' ? [] : ([left, right] as readonly UserFunction[]),
    settings: { how, ...(typeof on === 'string' && { on }), limit },
  };
}

function keysOf<T, U>(on: JoinKey<T, U>): { readonly left: GroupKey; readonly right: GroupKey } {
  if (typeof on === 'string') {
    const read = propertyNamed(on);
    return { left: read, right: read };
  }
  if (typeof on !== 'object' || on === null) {
    throw badOption(
      `join: on is ${describe(on)}`,
      'give the name of a property, or a function for each side: { left: order => order.customer, right: customer => customer.id }',
    );
  }
  return {
    left: checkedSync('join', 'on.left', on.left),
    right: checkedSync('join', 'on.right', on.right),
  };
}

/** A misspelt name would match nothing, and nobody would know. */
const propertyNamed =
  (name: string) =>
  (element: unknown): unknown => {
    const holder = element as Readonly<Record<string, unknown>> | null | undefined;
    if (typeof holder === 'object' && holder !== null && name in holder) return holder[name];
    throw new TypeError(`an element has no property '${name}'`);
  };
