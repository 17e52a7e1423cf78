import { mostBandwidth } from '../../model/disk.ts';
import { bytesPerSecond, share } from '../../model/units.ts';
import type { Detector } from './narrow.ts';
import { readerOf, reading } from './reading.ts';

/** Storage is full: only fewer bytes, a cache or faster storage help. */
export const ioBandwidth: Detector<'io-bandwidth'> = analysis => {
  const found = reading(analysis);
  if (found?.why !== 'bandwidth') return undefined;
  const { stage, rate, ofLimit, doubts } = found;
  const { disk } = analysis;
  return {
    kind: 'io-bandwidth',
    limits: true,
    cause: { type: 'hardware', resource: 'storage', full: share(Math.min(1, ofLimit ?? found.fit?.byBytes ?? 1)) },
    operators: [readerOf(analysis, stage)],
    figures: {
      lanes: stage.lanes,
      blocked: stage.states.blocked,
      bytesPerSecond: rate,
      limit: disk === undefined ? rate : bytesPerSecond(mostBandwidth(disk)),
      known: disk === undefined ? 'fitted' : 'given',
    },
    fix: { type: 'advice' },
    gain: undefined,
    doubts,
  };
};
