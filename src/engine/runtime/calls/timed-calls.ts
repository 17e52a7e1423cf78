import type { SharedTotals } from '../books/totals.ts';
import type { Invoke } from './async-calls.ts';
import { SKIPPED } from './guard.ts';
import { Stopped } from './stop.ts';

type CallTotals = Pick<SharedTotals, 'calls' | 'callTime' | 'slowestCall' | 'failedCalls'>;

/**
 * Keeps books about the calls of the async function at `at`: how many have ended, how long they took together and at most, and how
 * many failed. Divided by the time that passed, the sum is the mean number of calls under way (Little's law).
 */
export function timedCalls(invoke: Invoke, at: number, totals: CallTotals): Invoke {
  const { calls, callTime, slowestCall, failedCalls } = totals;
  const book = (began: number, isAnswered: boolean): void => {
    const took = (performance.now() - began) * 1000;
    calls[at] = (calls[at] ?? 0) + 1;
    callTime[at] = (callTime[at] ?? 0) + took;
    if (took > (slowestCall[at] ?? 0)) slowestCall[at] = took;
    if (!isAnswered) failedCalls[at] = (failedCalls[at] ?? 0) + 1;
  };
  return async (element, sequence, sub) => {
    const began = performance.now();
    try {
      const result = await invoke(element, sequence, sub);
      book(began, result !== SKIPPED);
      return result;
    } catch (error) {
      // One that the run's end cut short did not fail, and nobody knows how long it would have taken.
      if (!(error instanceof Stopped)) book(began, false);
      throw error;
    }
  };
}
