import { groupedBy } from '../../math/groups.ts';
import { type Interval, scaledBy } from '../../math/statistics.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { type Batch, isConsumed } from './batch.ts';
import type { BatchFacts } from './fold.ts';
import type { MachineUse, ProcessUse } from './machine-use.ts';
import { type MemoryTrend, memoryTrend } from './memory-trend.ts';

/** Growth of the memory of some processes in the later half of a recording that is long enough. */
export interface MemoryGrowth {
  readonly where: 'main' | 'workers';
  /** Loader whose batches they consume or prepare. */
  readonly loader: string;
  readonly processes: number;
  /** Bytes of all of them together; undefined where there is no lasting growth. */
  readonly perSecond: Interval | undefined;
  /** The same per 100 batches; undefined where none passed meanwhile. */
  readonly perHundredBatches: Interval | undefined;
  /**
   * Private memory of forked workers grows, and their resident memory does not: pages shared with the main process are copied
   * (copy on write), because even reading a Python object writes its reference count.
   */
  readonly isUnshared: boolean;
}

/** Largest growth of unshared resident memory / growth of private memory at which shared pages account for the latter. */
const MOST_SEEN = 0.5;

export function memoryGrowth(use: MachineUse, facts: BatchFacts): MemoryGrowth[] {
  const consumed = facts.batches.filter(isConsumed);
  const loaderOf = (pid: number): string | undefined => consumed.find(({ consumer }) => consumer === pid)?.loader;
  const main = use.processes.flatMap(process => {
    const loader = loaderOf(process.lane.pid);
    const trend = memoryTrend(process.unsharedOverTime) ?? memoryTrend(process.privateOverTime);
    return loader === undefined || trend === undefined ? [] : [{ loader, process, trend }];
  });
  const workers = facts.preparers.flatMap(({ lane, loader, idle }) => {
    const process = use.processes.find(each => each.lane.index === lane.index);
    if (process === undefined || idle === 0) return [];
    const trend = memoryTrend(process.privateOverTime) ?? memoryTrend(process.unsharedOverTime);
    return trend === undefined ? [] : [{ loader, process, trend }];
  });
  return [
    ...(main[0] === undefined ? [] : [together('main', main[0].loader, main, consumed, false)]),
    ...[...groupedBy(workers, ({ loader }) => loader)].map(([loader, judged]) => {
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

const added = (a: Interval, b: Interval): Interval => ({
  estimate: a.estimate + b.estimate,
  low: a.low + b.low,
  high: a.high + b.high,
  confidence: b.confidence,
});

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
  const sum = (of: (each: (typeof growing)[number]) => Interval): Interval | undefined => {
    const [first, ...others] = growing.map(of);
    return first && others.reduce(added, first);
  };
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
