import type { PlacedNode } from '../../compile/graph.ts';
import type { StuckWork } from '../../contract/run.ts';
import { isSeries } from '../../contract/source.ts';
import type { SharedTotals } from './totals.ts';
import type { WorkMark } from './work-mark.ts';

/** Work that takes longer is stuck … */
const LEAST_NS = 5e9;
/** … unless what the lane has finished took so long as well: it may take this many times as long. */
const USUAL_TIMES = 10;

export interface WatchedLane {
  readonly name: string;
  readonly nodes: readonly PlacedNode[];
  readonly totals: SharedTotals;
  readonly mark: WorkMark;
}

/** What `lane` is at and does not come to the end of. With `late`, however short that is: it was told to end, and did not. */
export function stuckWork(
  { name, nodes, totals, mark }: WatchedLane,
  now: number,
  late = false,
): StuckWork | undefined {
  const work = mark.read(now);
  if (work === undefined) return undefined;
  const waited = totals.starved + totals.backpressured - work.waited;
  const usual = totals.chunks === 0 ? 0 : totals.busy / totals.chunks;
  if (!late && now - work.since - waited < Math.max(LEAST_NS, USUAL_TIMES * usual)) return undefined;
  const suspects = work.element === undefined ? nodes.slice(0, 1) : nodes.filter(runsUserCode);
  const known = work.at === undefined ? (suspects.length === 1 ? suspects : []) : nodes.slice(work.at, work.at + 1);
  return {
    lane: name,
    operators: (known.length > 0 ? known : suspects.length > 0 ? suspects : nodes).map(({ id }) => id),
    sinceNs: work.since,
    ...(work.element === undefined ? {} : { element: work.element, elements: work.elements }),
  };
}

/** The author's functions and sources, and what else may not return. */
export const runsUserCode = ({ node: { call, kind, source } }: PlacedNode): boolean =>
  call !== undefined || (source !== undefined && !isSeries(source) && (kind === 'from' || source.told !== undefined));

export function stuckWords({ operators, element, elements = 1, sinceNs }: StuckWork): string {
  const who = operators.map(id => `'${id}'`).join(' or ');
  const which =
    element === undefined
      ? ''
      : elements === 1
        ? ` at element ${element}`
        : ` at one of the elements ${element} to ${element + elements - 1}`;
  return `${who} has been${which === '' ? ' at work' : which} since ${(sinceNs / 1e9).toFixed(1)} s after the start`;
}
