import type { PipelineCosts } from '../../model/pipeline-costs.ts';
import type { AmountEnd } from './amount.ts';

/** How so many busy threads slow each other down, as measured on the machine. */
export interface Pace {
  readonly threads: number;
  /** CPU time of work that stays in its core's caches / that of one thread alone. */
  readonly compute: number;
  /** CPU time of work that copies memory / that of one thread alone. */
  readonly memory: number;
  /** Bytes per second that all of them copy together. */
  readonly bytesPerSecond: number;
}

/** By threads, ascending; none where nobody measured. */
export function pacesOf(costs: PipelineCosts | undefined): Pace[] {
  if (costs === undefined) return [];
  const alone = costs.memory[0];
  if (alone === undefined) return [];
  return costs.memory.map(({ threads, bytesPerSecond }) => ({
    threads,
    compute:
      1 /
      valueAt(
        costs.compute.map(point => [point.threads, point.pace.median]),
        threads,
      ),
    memory: Math.max(1, (threads * alone.bytesPerSecond.median) / (alone.threads * bytesPerSecond.median)),
    bytesPerSecond: bytesPerSecond.median,
  }));
}

/** Straight lines between points, level beyond them. */
function valueAt(points: readonly (readonly [at: number, value: number])[], at: number): number {
  const above = points.find(([x]) => x >= at);
  const below = points.findLast(([x]) => x <= at);
  if (above === undefined || below === undefined) return (above ?? below)?.[1] ?? 1;
  const width = above[0] - below[0];
  return width > 0 ? below[1] + ((at - below[0]) / width) * (above[1] - below[1]) : below[1];
}

const slowdown = (paces: readonly Pace[], of: 'compute' | 'memory', load: number): number =>
  valueAt(
    paces.map(pace => [pace.threads, pace[of]]),
    load,
  );

/** Bytes per second that so many threads copy together; undefined where nobody measured. */
export const bandwidthAt = (paces: readonly Pace[], copying: number): number | undefined =>
  paces.length === 0
    ? undefined
    : valueAt(
        paces.map(({ threads, bytesPerSecond }) => [threads, bytesPerSecond]),
        copying,
      );

/**
 * CPU time where `load` cores are busy / where `recorded` were. `memoryShare` of it is known to move memory; what the rest touches
 * nobody sees: at the ends all of it is slowed down as one or the other kind of work.
 */
export function paceRatio(
  paces: readonly Pace[],
  { load, recorded, memoryShare }: { readonly load: number; readonly recorded: number; readonly memoryShare: number },
  end: AmountEnd,
): number {
  const ratio = (of: 'compute' | 'memory'): number => slowdown(paces, of, load) / slowdown(paces, of, recorded);
  const [compute, memory] = [ratio('compute'), ratio('memory')];
  if (end === 'low') return Math.max(compute, memory);
  if (end === 'high') return Math.min(compute, memory);
  return compute + memoryShare * Math.max(0, memory - compute);
}
