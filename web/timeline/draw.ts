import type { TimelineData } from '../../src/report/page/tiles.ts';
import { PixelWriter } from './pixels.ts';
import type { TimelineRow } from './rows.ts';
import type { TileCache } from './tile-cache.ts';
import { levelFor, tilesIn } from './tile-choice.ts';
import type { Viewport } from './viewport.ts';

export interface Drawing {
  readonly data: TimelineData;
  readonly rows: readonly TimelineRow[];
  readonly view: Viewport;
  /** Width of the part with spans, px. */
  readonly pixels: number;
  /** By subject. */
  readonly colours: readonly string[];
  /** Undefined: all. Others are drawn faintly. */
  readonly bright: ReadonlySet<number> | undefined;
}

const FAINT = 0.18;
/** Least height of what happened at all, px. */
const LEAST_HEIGHT = 2;

const writer = new PixelWriter();

/** Rows of spans; height is the part of a pixel's time that was spent in spans. Gives false while tiles are on their way. */
export function drawRows(context: CanvasRenderingContext2D, drawing: Drawing, cache: TileCache): boolean {
  const { rows, view, pixels, data } = drawing;
  const level = levelFor(data, view, pixels);
  let isWhole = true;
  for (const row of rows) {
    if (!gather(row.series, level, drawing, cache.get.bind(cache))) {
      isWhole = false;
      // Until then, what a coarser level says.
      for (let coarser = level + 1; coarser <= data.coarsest; coarser++) {
        if (gather(row.series, coarser, drawing, cache.peek.bind(cache))) break;
      }
    }
    drawRow(context, row, drawing);
  }
  return isWhole;
}

/** Puts the tiles of a series into the writer; false where one is still on its way. */
function gather(series: string, level: number, { data, view, pixels }: Drawing, tileOf: TileCache['get']): boolean {
  writer.begin(view, pixels);
  let isWhole = true;
  for (const index of tilesIn(data, level, view)) {
    const tile = tileOf(series, level, index);
    if (tile === 'asked') isWhole = false;
    else if (tile !== undefined) writer.add(tile, data.binNs, level, index);
  }
  return isWhole;
}

function drawRow(context: CanvasRenderingContext2D, { y, height }: TimelineRow, { colours, bright }: Drawing): void {
  const { subject, share } = writer.row();
  let from = 0;
  for (let at = 1; at <= subject.length; at++) {
    if (
      at < subject.length &&
      subject[at] === subject[from] &&
      heightOf(share[at], height) === heightOf(share[from], height)
    )
      continue;
    const whose = subject[from] ?? -1;
    if (whose >= 0) {
      const high = heightOf(share[from], height);
      context.globalAlpha = bright === undefined || bright.has(whose) ? 1 : FAINT;
      context.fillStyle = colours[whose] ?? '#888';
      context.fillRect(from, y + height - high, at - from, high);
    }
    from = at;
  }
  context.globalAlpha = 1;
}

const heightOf = (share: number | undefined, height: number): number =>
  Math.max(LEAST_HEIGHT, Math.round((share ?? 0) * height));
