import type { PipelineCosts } from '../../model/pipeline-costs.ts';
import type { AmountEnd } from './amount.ts';

/** How so many busy threads slow each other down, as measured on the machine: CPU time of a kind of work / that of one thread alone. */
export interface Pace {
  readonly threads: number;
  /** Arithmetic in a core's own caches, each step of which waits for the one before. */
  readonly chained: number;
  /** Arithmetic whose steps can be done at once. */
  readonly independent: number;
  /** Copying of memory. */
  readonly memory: number;
  /** Bytes per second that all of them copy together. */
  readonly bytesPerSecond: number;
}

/** By threads, ascending; none where nobody measured. */
export function pacesOf(costs: PipelineCosts | undefined): Pace[] {
  const alone = costs?.memory[0];
  if (costs === undefined || alone === undefined) return [];
  const slowdownOf = (kind: 'chained' | 'independent', threads: number): number =>
    1 /
    valueAt(
      costs.compute.map(point => [point.threads, point[kind].median]),
      threads,
    );
  const measured = costs.memory.map(({ threads, bytesPerSecond }) => ({
    threads,
    chained: slowdownOf('chained', threads),
    independent: slowdownOf('independent', threads),
    memory: (threads * alone.bytesPerSecond.median) / (alone.threads * bytesPerSecond.median),
    bytesPerSecond: bytesPerSecond.median,
  }));
  // More threads make nobody faster, nor memory slower.
  return measured.map((pace, at) => {
    const most = (of: Exclude<keyof Pace, 'threads'>): number =>
      Math.max(...measured.slice(0, at + 1).map(each => each[of]));
    return {
      ...pace,
      chained: Math.max(1, most('chained')),
      independent: Math.max(1, most('independent')),
      memory: Math.max(1, most('memory')),
      bytesPerSecond: most('bytesPerSecond'),
    };
  });
}

/** Straight lines between points, level beyond them. */
function valueAt(points: readonly (readonly [at: number, value: number])[], at: number): number {
  const above = points.find(([x]) => x >= at);
  const below = points.findLast(([x]) => x <= at);
  if (above === undefined || below === undefined) return (above ?? below)?.[1] ?? 1;
  const width = above[0] - below[0];
  return width > 0 ? below[1] + ((at - below[0]) / width) * (above[1] - below[1]) : below[1];
}

const KINDS = ['chained', 'independent', 'memory'] as const;
type Kind = (typeof KINDS)[number];

const slowdown = (paces: readonly Pace[], of: Kind, load: number): number =>
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
 * CPU time where `load` cores are busy / where `recorded` were. `memoryShare` of it is known to move memory. What kind the rest is nobody
 * sees: it is taken to lie between both kinds of arithmetic, and at the ends all of it is the kind that is slowed down least, or most.
 */
export function paceRatio(
  paces: readonly Pace[],
  { load, recorded, memoryShare }: { readonly load: number; readonly recorded: number; readonly memoryShare: number },
  end: AmountEnd,
): number {
  const ratio = (of: Kind): number => slowdown(paces, of, load) / slowdown(paces, of, recorded);
  const ratios = KINDS.map(ratio);
  if (end === 'low') return Math.max(...ratios);
  if (end === 'high') return Math.min(...ratios);
  const compute = Math.sqrt(ratio('chained') * ratio('independent'));
  return compute + memoryShare * Math.max(0, ratio('memory') - compute);
}
