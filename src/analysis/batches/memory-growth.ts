import { type Interval, scaledBy } from '../../math/statistics.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import type { Batch } from './batch.ts';
import type { BatchFacts } from './fold.ts';
import type { MachineUse, ProcessUse } from './machine-use.ts';
import { type MemoryTrend, memoryTrend } from './memory-trend.ts';

/** How the memory of some processes went in the later half of a recording that was long enough to say. */
export interface MemoryGrowth {
  readonly where: 'main' | 'workers';
  /** Whose batches they consume or prepare. */
  readonly loader: string;
  readonly processes: number;
  /** Bytes, of all of them together; undefined where there is no lasting growth. */
  readonly perSecond: Interval | undefined;
  /** Undefined where no batch passed meanwhile. */
  readonly perHundredBatches: Interval | undefined;
  /**
   * Forked workers' own memory grows, and what they see does not: pages they shared with the main process become theirs,
   * because even reading a Python object writes its count of references.
   */
  readonly isUnshared: boolean;
}

/** Of what workers see, as part of what becomes their own: below it, their own comes from what they share. */
const MOST_SEEN = 0.5;

export function memoryGrowth(use: MachineUse, facts: BatchFacts): MemoryGrowth[] {
  const consumed = facts.batches.filter(batch => !Number.isNaN(batch.waitEnd));
  const loaderOf = (pid: number): string | undefined => consumed.find(({ consumer }) => consumer === pid)?.loader;
  const main = use.processes.flatMap(process => {
    const loader = loaderOf(process.lane.pid);
    const trend = memoryTrend(process.unsharedOverTime) ?? memoryTrend(process.privateOverTime);
    return loader === undefined || trend === undefined ? [] : [{ loader, process, trend }];
  });
  const byLoader = new Map<string, Judged[]>();
  for (const { lane, loader, idle } of facts.preparers) {
    const process = use.processes.find(each => each.lane.index === lane.index);
    if (process === undefined || idle === 0) continue;
    const trend = memoryTrend(process.privateOverTime) ?? memoryTrend(process.unsharedOverTime);
    if (trend === undefined) continue;
    const judged = byLoader.get(loader) ?? [];
    byLoader.set(loader, [...judged, { process, trend }]);
  }
  return [
    ...(main[0] === undefined ? [] : [together('main', main[0].loader, main, consumed, false)]),
    ...[...byLoader].map(([loader, judged]) => {
      const settings = facts.loaders.get(loader)?.settings;
      const canUnshare = settings?.start_method === 'fork' && settings.stream !== true;
      const own = consumed.filter(batch => batch.loader === loader);
      return together('workers', loader, judged, own, canUnshare && judged.every(seesNoMore));
    }),
  ];
}

interface Judged {
  readonly process: ProcessUse;
  readonly trend: MemoryTrend;
}

function seesNoMore({ process, trend }: Judged): boolean {
  const seen = memoryTrend(process.unsharedOverTime);
  return seen !== undefined && seen.slope < MOST_SEEN * trend.slope;
}

function together(
  where: MemoryGrowth['where'],
  loader: string,
  judged: readonly Judged[],
  batches: readonly Batch[],
  isUnshared: boolean,
): MemoryGrowth {
  const growing = judged.flatMap(({ trend }) => (trend.growth === undefined ? [] : [{ trend, growth: trend.growth }]));
  const sum = (of: (each: (typeof growing)[number]) => Interval): Interval | undefined =>
    growing
      .map(of)
      .reduce<Interval | undefined>(
        (all, { estimate, low, high, confidence }) =>
          all === undefined
            ? { estimate, low, high, confidence }
            : { estimate: all.estimate + estimate, low: all.low + low, high: all.high + high, confidence },
        undefined,
      );
  const perBatch = sum(({ trend: { from, to }, growth }) => {
    const passed = batches.filter(({ waitEnd }) => waitEnd >= from && waitEnd < to).length;
    return scaledBy(growth, (100 * (to - from)) / passed);
  });
  return {
    where,
    loader,
    processes: judged.length,
    perSecond: sum(({ growth }) => scaledBy(growth, NS_PER_SECOND)),
    perHundredBatches: perBatch !== undefined && Number.isFinite(perBatch.estimate) ? perBatch : undefined,
    isUnshared: isUnshared && growing.length > 0,
  };
}
