import type { TimelineArrow } from '../../src/report/page/tiles.ts';
import type { TimelineRow } from './rows.ts';
import type { Viewport } from './viewport.ts';

/** Arrows that are drawn at once: more could not be told apart. */
const MOST_ARROWS = 200;

/** An arrow in pixels of the drawing. */
export interface DrawnArrow {
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
  /** It lies in the selected time. */
  readonly isChosen: boolean;
}

/** Arrows of a view between lanes that are shown; of very many those whose batches were waited for longest. */
export function drawnArrows(
  arrows: readonly TimelineArrow[],
  rows: readonly TimelineRow[],
  view: Viewport,
  width: number,
  chosen: Viewport | undefined,
  most = MOST_ARROWS,
): DrawnArrow[] {
  const rowOf = new Map(rows.filter(({ name }) => name !== undefined).map(row => [row.lane, row]));
  const inView = arrows.filter(
    ({ fromNs, toNs, fromLane, toLane }) =>
      toNs >= view.from && fromNs <= view.to && rowOf.has(fromLane) && rowOf.has(toLane),
  );
  const isChosen = ({ fromNs, toNs }: TimelineArrow): boolean =>
    chosen !== undefined && fromNs >= chosen.from && toNs <= chosen.to;
  const kept =
    inView.length <= most
      ? inView
      : inView.toSorted((a, b) => Number(isChosen(b)) - Number(isChosen(a)) || b.waitNs - a.waitNs).slice(0, most);
  const x = (ns: number): number => ((ns - view.from) / (view.to - view.from)) * width;
  return kept.map(arrow => {
    const from = rowOf.get(arrow.fromLane);
    const to = rowOf.get(arrow.toLane);
    const isDown = (from?.y ?? 0) < (to?.y ?? 0);
    return {
      fromX: x(arrow.fromNs),
      fromY: (from?.y ?? 0) + (isDown ? (from?.height ?? 0) : 0),
      toX: x(arrow.toNs),
      toY: (to?.y ?? 0) + (isDown ? 0 : (to?.height ?? 0)),
      isChosen: isChosen(arrow),
    };
  });
}
