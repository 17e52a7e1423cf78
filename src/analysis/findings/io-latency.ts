import { NS_PER_SECOND, ns } from '../../model/units.ts';
import type { Ceiling } from '../rates/ceilings.ts';
import { type Detector, gainOf, laneRate, lanesFor, MOST_LANES } from './narrow.ts';
import { isInOrder, LEAST_BYTES_PER_SECOND, readerOf, readersFix, reading } from './reading.ts';

/** Every request takes its time, whatever its size: have more of them under way, or make fewer. */
export const ioLatency: Detector<'io-latency'> = analysis => {
  const found = reading(analysis);
  if (found?.why !== 'latency') return undefined;
  const { stage, rate, risesTo, doubts } = found;
  const { rates, graph } = analysis;
  const reader = readerOf(analysis, stage);
  const operator = rates.operators.find(({ id }) => id === reader);
  const visits = operator?.visitRatio || 1;
  const byStorage = risesTo === undefined || rate === 0 ? undefined : (rates.rate.estimate * risesTo) / rate;
  const lifted = ({ kind, id }: Ceiling): boolean => kind === 'stage' && id === stage.id;
  const wanted = lanesFor(stage, gainOf(analysis, lifted, byStorage)?.rate ?? 0);
  const lanes = Math.max(stage.lanes + 1, Math.min(MOST_LANES, wanted));
  const gain = gainOf(analysis, lifted, Math.min(byStorage ?? Number.POSITIVE_INFINITY, laneRate(stage, lanes)));
  const isAsync = graph.operators.find(({ id }) => id === reader)?.concurrency !== undefined;
  return {
    kind: 'io-latency',
    limits: true,
    cause: { type: 'software' },
    operators: [reader],
    figures: {
      lanes: stage.lanes,
      blocked: stage.states.blocked,
      perElement: ns((stage.blockedDemand * NS_PER_SECOND) / visits),
      bytesPerSecond: rate,
      medium: rate < LEAST_BYTES_PER_SECOND ? 'outside' : 'storage',
    },
    fix: readersFix(analysis, reader, isAsync ? 'concurrency' : 'parallelism', lanes),
    gain: isInOrder(analysis, reader) ? undefined : gain,
    doubts,
  };
};
