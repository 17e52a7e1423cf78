import { readerOf, storageWait } from '../analysis/bottleneck/storage-wait.ts';
import { mostBandwidth } from '../model/disk.ts';
import { type BytesPerSecond, bytesPerSecond, type Share, share } from '../model/units.ts';
import { byteRate, percent, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { hasLanes } from './phrases.ts';

export interface Figures {
  readonly lanes: number;
  readonly blocked: Share;
  readonly bytesPerSecond: BytesPerSecond;
  /** What it can deliver, and how that is known. */
  readonly limit: BytesPerSecond;
  readonly known: 'given' | 'fitted';
}

/** Storage delivers all it can: only fewer bytes, a cache or faster storage help. */
export const ioBandwidth: Definition<Figures> = {
  inPipeline(analysis) {
    const found = storageWait(analysis);
    if (found?.why !== 'bandwidth') return undefined;
    const { stage, ofLimit, doubts } = found;
    const { disk } = analysis;
    return {
      limits: true,
      cause: { type: 'hardware', resource: 'storage', full: share(Math.min(1, ofLimit ?? found.fit?.byBytes ?? 1)) },
      operators: [readerOf(analysis, stage)],
      figures: {
        lanes: stage.lanes,
        blocked: stage.states.blocked,
        bytesPerSecond: found.rate,
        limit: disk === undefined ? found.rate : bytesPerSecond(mostBandwidth(disk)),
        known: disk === undefined ? 'fitted' : 'given',
      },
      doubts,
    };
  },

  words({ figures }, { name, now }) {
    const of = figures.known === 'given' ? ` of ${byteRate(figures.limit)}` : '';
    return {
      text: `Storage limits this pipeline: ${name} gets ${byteRate(figures.bytesPerSecond)}${of}, and ${hasLanes(figures.lanes)} asleep ${percent(figures.blocked)} of the time for it; ${rate(now)}`,
      advice: 'Keep what is read in memory, store it smaller, or use faster storage: more lanes get no more',
    };
  },
};
