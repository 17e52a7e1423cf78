import { badOption, describe, wholeNumber } from '../../model/option.ts';
import type { ErrorPolicy, Node, UserFunction } from '../compile/node.ts';
import type { PerWorker } from '../contract/context.ts';
import type { OnError, Step } from './operator-options.ts';

/** Lanes of a batch are those before it, or one of its own. */
export function checkLanes(kind: string, { parallelism }: { readonly parallelism?: number }): void {
  if (parallelism === undefined || parallelism === 1) return;
  throw badOption(
    `${kind}: the parallelism is ${describe(parallelism)}`,
    'leave it out, and it rides in the threads of the operator before it where it can; 1 gives it a thread of its own',
  );
}

/** The function of an operator that has one. */
export function checkedFunction<T>(kind: string, step: Pick<Step<T>, 'call'>): Node['call'] {
  if (!('call' in step)) return undefined;
  const { call } = step;
  const isFunction = typeof call === 'function' || (typeof call === 'object' && typeof call?.setup === 'function');
  if (!isFunction) {
    throw badOption(
      `${kind}() needs a function, got ${describe(call)}`,
      `pass a function, or perWorker(() => ({ call, close })) for one with state of its own in every worker`,
    );
  }
  return call as UserFunction | PerWorker<UserFunction>;
}

export function errorPolicy(operator: string, onError: OnError): ErrorPolicy | undefined {
  if (onError === 'fail') return undefined;
  if (onError === 'skip') return { retries: 0, skip: true };
  if (typeof onError !== 'object') {
    throw badOption(
      `${operator}: onError is ${describe(onError)}`,
      "give 'fail', 'skip', or { retries: 2, otherwise: 'skip' }",
    );
  }
  return { retries: wholeNumber(operator, 'onError.retries', onError.retries, 0), skip: onError.otherwise === 'skip' };
}

export function checkedName(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && /^[\p{L}\p{N}_][\p{L}\p{N}_ -]*$/u.test(name)) return name;
  throw badOption(`${describe(name)} cannot be the name of an operator`, 'use letters, digits, spaces, - and _');
}
