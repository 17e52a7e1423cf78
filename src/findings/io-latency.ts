import { LEAST_BYTES_PER_SECOND, readerOf, storageWait } from '../analysis/bottleneck/storage-wait.ts';
import { type BytesPerSecond, NS_PER_SECOND, type Ns, ns, type Share } from '../model/units.ts';
import { byteRate, percent, rate, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { hasLanes, possible } from './phrases.ts';
import { IN_ORDER_ADVICE, moreReaders } from './readers.ts';

export interface Figures {
  readonly lanes: number;
  readonly blocked: Share;
  /** Time asleep per element that the operator handles. */
  readonly perElement: Ns;
  readonly bytesPerSecond: BytesPerSecond;
  readonly medium: 'storage' | 'outside';
}

/** Every request takes its time, whatever its size: have more of them under way, or make fewer. */
export const ioLatency: Definition<Figures> = {
  inPipeline(analysis) {
    const found = storageWait(analysis);
    if (found?.why !== 'latency') return undefined;
    const { stage, doubts } = found;
    const reader = readerOf(analysis, stage);
    const visits = analysis.rates.operators.find(({ id }) => id === reader)?.visitRatio || 1;
    const isAsync = analysis.graph.operators.find(({ id }) => id === reader)?.concurrency !== undefined;
    return {
      limits: true,
      operators: [reader],
      figures: {
        lanes: stage.lanes,
        blocked: stage.states.blocked,
        perElement: ns((stage.blockedDemand * NS_PER_SECOND) / visits),
        bytesPerSecond: found.rate,
        medium: found.rate < LEAST_BYTES_PER_SECOND ? 'outside' : 'storage',
      },
      ...moreReaders(analysis, found, isAsync ? 'concurrency' : 'parallelism'),
      doubts,
    };
  },

  words({ figures: { lanes, blocked, perElement, bytesPerSecond, medium }, fix, gain }, { name, now }) {
    const what = medium === 'storage' ? `storage (${byteRate(bytesPerSecond)})` : 'something outside';
    return {
      text: `${name} limits this pipeline: ${hasLanes(lanes)} blocked ${percent(blocked)} of the time on ${what}; ${time(perElement)} per element, independent of its size; ${rate(now)}${possible(gain)}`,
      advice: fix.type === 'advice' ? IN_ORDER_ADVICE[medium] : undefined,
    };
  },
};
