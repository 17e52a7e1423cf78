import { callsFor, MOST_CALLS, waitedCalls } from '../analysis/bottleneck/waited-calls.ts';
import { ceilings, rateUnder } from '../analysis/rates/ceilings.ts';
import type { Ns, Share } from '../model/units.ts';
import { count, decimal, percent, plural, rate, time } from '../report/format.ts';
import type { Definition } from './definition.ts';

export interface Figures {
  readonly lanes: number;
  /** Calls that may be under way at once in each lane. */
  readonly concurrency: number;
  /** Calls under way in the mean, in all lanes together. */
  readonly underWay: number;
  /** What a call takes, in the mean and at most. */
  readonly callTime: Ns;
  readonly slowestCall: Ns;
  readonly callsPerSecond: number;
  /** Calls that failed or were given up. */
  readonly failed: Share;
  readonly blocked: Share;
}

/**
 * The narrow place waits until calls of its async function are answered: it takes more of them at once, not more threads. What that
 * gains is for the service to say, so nothing is promised.
 */
export const waitingOnCalls: Definition<Figures> = {
  inPipeline(analysis) {
    const waited = waitedCalls(analysis);
    if (waited === undefined) return undefined;
    const { operator, calls, stage, concurrency } = waited;
    const most = rateUnder(ceilings(analysis.rates), ({ kind, id }) => kind === 'stage' && id === stage.id);
    return {
      limits: true,
      operators: [operator.id],
      figures: {
        lanes: stage.lanes,
        concurrency,
        underWay: calls.underWay,
        callTime: calls.time,
        slowestCall: calls.slowest,
        callsPerSecond: calls.perSecond,
        failed: calls.failed,
        blocked: stage.states.blocked,
      },
      fix:
        concurrency < MOST_CALLS
          ? { type: 'set', operator: operator.id, setting: 'concurrency', value: callsFor(waited, most) }
          : { type: 'advice' },
      doubts: concurrency < MOST_CALLS ? ['service-unseen'] : [],
    };
  },

  words({ figures: { lanes, concurrency, underWay, callTime, slowestCall, failed } }, { name, now }) {
    const of =
      lanes === 1
        ? count(concurrency)
        : `${count(lanes * concurrency)} (${count(concurrency)} in each of ${plural(lanes, 'lane')})`;
    const failing = failed > 0 ? `, ${percent(failed)} of them fail` : '';
    return {
      text: `${name} limits this pipeline: it waits on calls of its async function, ${decimal(underWay)} under way of ${of}, ${time(callTime)} a call and up to ${time(slowestCall)}${failing}; ${rate(now)}`,
      advice: `Ask for more in each call, or keep answers: ${count(concurrency)} calls at once in a lane are as many as are tried`,
    };
  },
};
