import { ratio } from '../../math/ratio.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import { type Batch, delayTime, waitTime } from './batch.ts';

/** Shares of batches that were waited for, or lay about, for longer than a time (Lotus §V). */
export interface LateShare {
  readonly longerThan: Ns;
  readonly waits: Share;
  readonly delays: Share;
}

const THRESHOLDS = [1e6, 1e7, 1e8, 5e8] as const;

export function lateShares(consumed: readonly Batch[]): LateShare[] {
  const part = (of: (batch: Batch) => number, limit: number): Share =>
    share(ratio(consumed.filter(batch => of(batch) > limit).length, consumed.length));
  return THRESHOLDS.map(limit => ({
    longerThan: ns(limit),
    waits: part(waitTime, limit),
    delays: part(delayTime, limit),
  }));
}
