import type { Context } from '../contract/context.ts';
import type { Operator } from './defined.ts';

/** What a sink is never asked for here. */
const NO_CONTEXT = {} as Context;

/** One pass of elements into a sink, in this thread. */
export async function writeWith(operator: Operator<unknown, never>, elements: Iterable<unknown>): Promise<void> {
  await operator.prepare?.();
  const pass = operator.open({
    lane: 0,
    lanes: 1,
    memory: 2 ** 20,
    isTrial: false,
    stopping: () => false,
    signal: new AbortController().signal,
  });
  try {
    for (const element of elements) pass.element(element, NO_CONTEXT);
    pass.end?.();
  } finally {
    pass.close?.();
  }
}
