import { readerOf, storageWait } from '../analysis/bottleneck/storage-wait.ts';
import { readersForMost } from '../model/disk.ts';
import type { BytesPerSecond, Share } from '../model/units.ts';
import { byteRate, percent, plural, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { possible } from './phrases.ts';
import { IN_ORDER_ADVICE, moreReaders } from './readers.ts';

export interface Figures {
  readonly lanes: number;
  readonly blocked: Share;
  readonly bytesPerSecond: BytesPerSecond;
  /** What more readers would get; undefined where nobody measured it. */
  readonly possible: BytesPerSecond | undefined;
}

/** Storage is not known to be full: more reads at once would get more out of it. */
export const ioParallelism: Definition<Figures> = {
  inPipeline(analysis) {
    const found = storageWait(analysis);
    if (found?.why !== 'parallelism') return undefined;
    const { stage, risesTo, doubts } = found;
    const { disk } = analysis;
    return {
      limits: true,
      operators: [readerOf(analysis, stage)],
      figures: {
        lanes: stage.lanes,
        blocked: stage.states.blocked,
        bytesPerSecond: found.rate,
        possible: risesTo,
      },
      ...moreReaders(analysis, found, 'parallelism', disk === undefined ? undefined : readersForMost(disk)),
      doubts,
    };
  },

  words({ figures, fix, gain }, { name, now }) {
    const more = figures.possible === undefined ? '' : `; more readers get up to ${byteRate(figures.possible)}`;
    return {
      text: `${name} limits this pipeline: it reads ${byteRate(figures.bytesPerSecond)} in ${plural(figures.lanes, 'lane')}, asleep ${percent(figures.blocked)} of the time${more}; ${rate(now)}${possible(gain)}`,
      advice: fix.type === 'advice' ? IN_ORDER_ADVICE.storage : undefined,
    };
  },
};
