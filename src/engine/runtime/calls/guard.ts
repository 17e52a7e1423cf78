import { inspect } from 'node:util';
import { describeThrown } from '../../../errors/thrown.ts';
import { type ErrorPolicy, isAsync, type UserFunction } from '../../compile/node.ts';
import type { Context } from '../../contract/context.ts';
import { appendLetter } from './dead-letter.ts';
import { isJson } from './json.ts';

/** Stands for the result of a function that failed on an element which is given up. */
export const SKIPPED = Symbol('skipped');

/** Longer elements are left out of a dead letter. */
const LONGEST_LETTER = 4096;

type Call = (element: unknown, context: Context) => unknown;

/** Elements that one operator gave up in one lane. */
export class Skips {
  readonly #operator: string;
  readonly #deadLetter: string | undefined;
  #count = 0;
  #first = '';

  constructor(operator: string, deadLetter: string | undefined) {
    this.#operator = operator;
    this.#deadLetter = deadLetter;
  }

  add(element: unknown, { index, epoch }: Context, error: unknown): void {
    const reason = describeThrown(error);
    if (this.#count++ === 0) this.#first = `element ${index}: ${reason}`;
    if (this.#deadLetter === undefined) return;
    const letter = { operator: this.#operator, epoch, index, error: reason, ...preview(element) };
    appendLetter(this.#deadLetter, letter);
  }

  get warning(): string | undefined {
    if (this.#count === 0) return undefined;
    const elements = this.#count === 1 ? '1 element' : `${this.#count} elements`;
    return `'${this.#operator}' gave up ${elements}; the first was ${this.#first}`;
  }
}

/** The element where JSON can hold it as it is, else what Node prints of it: a Map would be an empty object there. */
function preview(element: unknown): { readonly element?: unknown; readonly inspected?: string } {
  if (isJson(element)) return JSON.stringify(element).length <= LONGEST_LETTER ? { element } : {};
  try {
    const inspected = inspect(element, { depth: 8, breakLength: Number.POSITIVE_INFINITY });
    return inspected.length <= LONGEST_LETTER ? { inspected } : {};
  } catch {
    return {};
  }
}

/**
 * A function that is called again when it throws, and whose element is then given up where the policy says so. What is thrown while the
 * run is being stopped is not the element's fault.
 */
export function guard(
  call: UserFunction,
  policy: ErrorPolicy,
  kind: string,
  skips: Skips,
  stopping: () => boolean,
): UserFunction {
  const invoke: Call = call.length < 2 ? element => (call as (element: unknown) => unknown)(element) : (call as Call);
  const failed = (error: unknown, attempt: number, element: unknown, context: Context): boolean => {
    if (stopping()) throw error;
    if (attempt < policy.retries) return false;
    if (!policy.skip) throw error;
    skips.add(element, context, error);
    return true;
  };
  if (isAsync(call)) {
    return async (element: unknown, context: Context) => {
      for (let attempt = 0; ; attempt++) {
        try {
          return await invoke(element, context);
        } catch (error) {
          if (failed(error, attempt, element, context)) return SKIPPED;
        }
      }
    };
  }
  return (element: unknown, context: Context) => {
    for (let attempt = 0; ; attempt++) {
      try {
        const result = invoke(element, context);
        // A generator fails while it is consumed, so it is consumed here.
        return kind === 'flatMap' && !(result instanceof Promise) ? [...(result as Iterable<unknown>)] : result;
      } catch (error) {
        if (failed(error, attempt, element, context)) return SKIPPED;
      }
    }
  };
}
