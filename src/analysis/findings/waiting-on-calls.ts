import { ceilings, rateUnder } from '../rates/ceilings.ts';
import { callsFor, MOST_CALLS, waitedCalls } from './calls.ts';
import type { Detector } from './narrow.ts';

/**
 * The narrow place waits until calls of its async function are answered: it takes more of them at once, not more threads. What that
 * gains is for the service to say, so nothing is promised.
 */
export const waitingOnCalls: Detector<'waiting-on-calls'> = analysis => {
  const waited = waitedCalls(analysis);
  if (waited === undefined) return undefined;
  const { operator, calls, stage, concurrency } = waited;
  const most = rateUnder(ceilings(analysis.rates), ({ kind, id }) => kind === 'stage' && id === stage.id);
  return {
    kind: 'waiting-on-calls',
    limits: true,
    cause: { type: 'software' },
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
    gain: undefined,
    doubts: concurrency < MOST_CALLS ? ['service-unseen'] : [],
  };
};
