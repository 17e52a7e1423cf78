import { GrowingColumn } from '../../model/growing-column.ts';
import { reordered, type SpanColumns } from './sorted-spans.ts';

/** Depths that are kept; spans that overlap more others than that are counted and left out. */
const MOST_DEPTHS = 32;

export interface DepthSpans {
  /** By depth, outermost first: at each of them no two spans overlap. */
  readonly depths: readonly SpanColumns[];
  readonly leftOut: number;
}

/** Sorted spans by depth: each goes to the first depth that is free when it begins, so nested ones lie below those they are in. */
export function byDepth(spans: SpanColumns): DepthSpans {
  const { start, duration } = spans;
  const ends: number[] = [];
  const rows: GrowingColumn<Uint32Array>[] = [];
  let leftOut = 0;
  for (let at = 0; at < start.length; at++) {
    const from = start[at] ?? 0;
    let depth = 0;
    while (depth < ends.length && (ends[depth] ?? 0) > from) depth++;
    if (depth === MOST_DEPTHS) {
      leftOut++;
      continue;
    }
    ends[depth] = from + (duration[at] ?? 0);
    if (depth === rows.length) rows.push(new GrowingColumn(Uint32Array));
    rows[depth]?.push(at);
  }
  if (rows.length === 1 && leftOut === 0) return { depths: [spans], leftOut };
  return { depths: rows.map(each => reordered(spans, each.view())), leftOut };
}
