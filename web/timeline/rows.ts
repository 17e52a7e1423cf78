import type { TimelineData } from '../../src/report/page/tiles.ts';

/** Heights, px. */
export const ROW = { first: 22, inner: 14, gap: 6 } as const;

/** A row of the drawing: spans of a lane at one depth. */
export interface TimelineRow {
  readonly lane: number;
  readonly series: string;
  readonly y: number;
  readonly height: number;
  /** The lane's name, at its first row. */
  readonly name: string | undefined;
}

/** Lanes one below the other; `isShown` filters them. */
export function rowsOf(
  { lanes }: TimelineData,
  isShown: (lane: number) => boolean,
): {
  readonly rows: readonly TimelineRow[];
  readonly height: number;
} {
  const rows: TimelineRow[] = [];
  let y = 0;
  for (const [at, lane] of lanes.entries()) {
    if (!isShown(at)) continue;
    for (const { key, depth } of lane.series) {
      const height = depth === 0 ? ROW.first : ROW.inner;
      rows.push({ lane: at, series: key, y, height, name: depth === 0 ? lane.name : undefined });
      y += height + 1;
    }
    y += ROW.gap;
  }
  return { rows, height: y };
}
