import { ratio } from '../../math/ratio.ts';
import { NS_PER_MICROSECOND, NS_PER_SECOND, type Ns, ns, type Share, share } from '../../model/units.ts';
import type { Account } from './account.ts';

/** The calls of an operator's async function over the steady part, all lanes together. */
export interface CallRates {
  readonly perSecond: number;
  /** Mean number of concurrent calls: calls per second × mean latency (Little's law). */
  readonly underWay: number;
  /** Mean latency of a call, and the largest of the whole run. */
  readonly time: Ns;
  readonly slowest: Ns;
  /** Those that failed or were given up. */
  readonly failed: Share;
}

export function callRates(id: string, account: Account, slowest: Ns | undefined): CallRates | undefined {
  const calls = account.of(id, 'calls');
  if (!(calls > 0)) return undefined;
  const time = account.of(id, 'callTime') * NS_PER_MICROSECOND;
  return {
    perSecond: ratio(calls * NS_PER_SECOND, account.ns),
    underWay: ratio(time, account.ns),
    time: ns(time / calls),
    slowest: slowest ?? ns(time / calls),
    failed: share(account.of(id, 'failedCalls') / calls),
  };
}
