import type { Invoke } from './async-calls.ts';
import { SKIPPED } from './guard.ts';
import type { SharedTotals } from './totals.ts';

type CallTotals = Pick<SharedTotals, 'calls' | 'callTime' | 'slowestCall' | 'failedCalls'>;

/**
 * Keeps books about the calls of the async function at `at`: how many have ended, how long they took together and at most, and how
 * many failed. Divided by the time that passed, the sum is the mean number of calls under way (Little's law).
 */
export function timedCalls(invoke: Invoke, at: number, totals: CallTotals): Invoke {
  const { calls, callTime, slowestCall, failedCalls } = totals;
  return async (element, sequence, sub) => {
    const began = performance.now();
    let isAnswered = false;
    try {
      const result = await invoke(element, sequence, sub);
      isAnswered = result !== SKIPPED;
      return result;
    } finally {
      const took = (performance.now() - began) * 1000;
      calls[at] = (calls[at] ?? 0) + 1;
      callTime[at] = (callTime[at] ?? 0) + took;
      if (took > (slowestCall[at] ?? 0)) slowestCall[at] = took;
      if (!isAnswered) failedCalls[at] = (failedCalls[at] ?? 0) + 1;
    }
  };
}
