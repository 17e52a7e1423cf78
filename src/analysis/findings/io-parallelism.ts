import { readersForMost } from '../../model/disk.ts';
import type { Ceiling } from '../rates/ceilings.ts';
import { type Detector, gainOf, laneRate, lanesFor, MOST_LANES } from './narrow.ts';
import { isInOrder, readerOf, readersFix, reading } from './reading.ts';

/** Storage is not known to be full: more reads at once would get more out of it. */
export const ioParallelism: Detector<'io-parallelism'> = analysis => {
  const found = reading(analysis);
  if (found?.why !== 'parallelism') return undefined;
  const { stage, rate, risesTo, doubts } = found;
  const { disk, rates } = analysis;
  const reader = readerOf(analysis, stage);
  const byStorage = risesTo === undefined || rate === 0 ? undefined : (rates.rate.estimate * risesTo) / rate;
  const lifted = ({ kind, id }: Ceiling): boolean => kind === 'stage' && id === stage.id;
  const wanted =
    disk === undefined ? lanesFor(stage, gainOf(analysis, lifted, byStorage)?.rate ?? 0) : readersForMost(disk);
  const lanes = Math.max(stage.lanes + 1, Math.min(MOST_LANES, wanted));
  const gain = gainOf(analysis, lifted, Math.min(byStorage ?? Number.POSITIVE_INFINITY, laneRate(stage, lanes)));
  return {
    kind: 'io-parallelism',
    limits: true,
    cause: { type: 'software' },
    operators: [reader],
    figures: { lanes: stage.lanes, blocked: stage.states.blocked, bytesPerSecond: rate, possible: risesTo },
    fix: readersFix(analysis, reader, 'parallelism', lanes),
    gain: isInOrder(analysis, reader) ? undefined : gain,
    doubts,
  };
};
