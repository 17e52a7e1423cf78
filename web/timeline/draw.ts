import type { TimelineData } from '../../src/report/page/tiles.ts';
import type { Painter } from './painter.ts';
import { PixelWriter } from './pixels.ts';
import type { TimelineRow } from './rows.ts';
import type { TileCache } from './tile-cache.ts';
import { levelFor, tilesIn } from './tile-choice.ts';
import type { Viewport } from './viewport.ts';

export interface Drawing {
  readonly data: TimelineData;
  readonly rows: readonly TimelineRow[];
  readonly view: Viewport;
  /** Pixels of the device for one of the page. */
  readonly scale: number;
  /** Undefined: all. Others are drawn faintly. */
  readonly bright: ReadonlySet<number> | undefined;
}

const writer = new PixelWriter();

/** Rows of spans. What is on its way is drawn from a coarser level, where that is there. */
export function drawRows(painter: Painter, drawing: Drawing, cache: TileCache): void {
  const { rows, view, data, scale, bright } = drawing;
  const level = levelFor(data, view, painter.width);
  for (const { series, y, height } of rows) {
    if (!gather(series, level, drawing, painter.width, cache.get.bind(cache))) {
      for (let coarser = level + 1; coarser <= data.coarsest; coarser++) {
        if (gather(series, coarser, drawing, painter.width, cache.peek.bind(cache))) break;
      }
    }
    painter.row(writer.row(), y * scale, height * scale, bright);
  }
}

/** Puts the tiles of a series into the writer; false where one is still on its way. */
function gather(
  series: string,
  level: number,
  { data, view }: Drawing,
  pixels: number,
  tileOf: TileCache['get'],
): boolean {
  writer.begin(view, pixels);
  let isWhole = true;
  for (const index of tilesIn(data, level, view)) {
    const tile = tileOf(series, level, index);
    if (tile === 'asked') isWhole = false;
    else if (tile !== undefined) writer.add(tile, data.binNs, level, index);
  }
  return isWhole;
}
