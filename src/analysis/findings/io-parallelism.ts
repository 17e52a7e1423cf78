import { readersForMost } from '../../model/disk.ts';
import type { Ceiling } from '../rates/ceilings.ts';
import { type Detector, gainOf, laneRate, lanesFor, MOST_LANES } from './narrow.ts';
import { readerOf, reading } from './reading.ts';

/** Storage is not known to be full: more reads at once would get more out of it. */
export const ioParallelism: Detector<'io-parallelism'> = analysis => {
  const found = reading(analysis);
  if (found?.why !== 'parallelism') return undefined;
  const { stage, rate, risesTo, doubts } = found;
  const { disk, rates } = analysis;
  const byStorage = risesTo === undefined || rate === 0 ? undefined : (rates.rate.estimate * risesTo) / rate;
  const gain = gainOf(analysis, ({ kind, id }) => kind === 'stage' && id === stage.id, byStorage);
  const lanes = disk === undefined ? Math.max(2 * stage.lanes, lanesFor(stage, gain?.rate ?? 0)) : readersForMost(disk);
  return {
    kind: 'io-parallelism',
    limits: true,
    cause: { type: 'software' },
    operators: [readerOf(analysis, stage)],
    figures: { lanes: stage.lanes, blocked: stage.states.blocked, bytesPerSecond: rate, possible: risesTo },
    fix: {
      type: 'set',
      operator: readerOf(analysis, stage),
      setting: 'parallelism',
      value: lanes,
    },
    gain,
    doubts,
  };
};
