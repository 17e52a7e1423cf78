import type { Analysis } from '../analysis/analysis.ts';
import { isInOrder, readerOf, type StorageWait } from '../analysis/bottleneck/storage-wait.ts';
import type { Ceiling } from '../analysis/rates/ceilings.ts';
import type { Found } from './definition.ts';
import { gainOf, lanesFor } from './gain.ts';

/** More lanes than this are not advised unseen. */
const MOST_LANES = 32;

/** What waits and sees all elements in order is not to have more threads, and nothing is promised of it. */
export const IN_ORDER_ADVICE = {
  outside: 'It delivers elements one at a time, as they arrive: no setting of this pipeline makes it faster',
  storage:
    'It reads one after the other: divide what it reads into files that several threads can read, or keep it in a cache',
};

/** More lanes, or more calls at once, where the reader can have them: `wanted` of them, or as many as the rate then needs. */
export function moreReaders(
  analysis: Analysis,
  { stage, rate, risesTo }: StorageWait,
  setting: 'parallelism' | 'concurrency',
  wanted?: number,
): Pick<Found<unknown>, 'fix' | 'gain'> {
  const reader = readerOf(analysis, stage);
  if (isInOrder(analysis, reader)) return {};
  const now = analysis.rates.rate.estimate;
  const byStorage = risesTo === undefined || rate === 0 ? Number.POSITIVE_INFINITY : (now * risesTo) / rate;
  const lifted = ({ kind, id }: Ceiling): boolean => kind === 'stage' && id === stage.id;
  const needed = wanted ?? lanesFor(stage, gainOf(analysis, lifted, byStorage)?.rate ?? 0);
  const lanes = Math.max(stage.lanes + 1, Math.min(MOST_LANES, needed));
  // If each lane does what it does now.
  const byLanes = (stage.ceiling * lanes) / Math.max(1, stage.lanes);
  return {
    fix: { type: 'set', operator: reader, setting, value: lanes },
    gain: gainOf(analysis, lifted, Math.min(byStorage, byLanes)),
  };
}
