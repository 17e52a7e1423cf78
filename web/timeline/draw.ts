import { tileNs } from '../../src/analysis/pyramid/tile.ts';
import type { TimelineData } from '../../src/report/page/tiles.ts';
import type { Painter, Strip } from './painter.ts';
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
  /** By subject. */
  readonly colours: readonly string[];
}

const writer = new PixelWriter();
/** A view that is off the drawn columns by less than this part of a pixel shows the same. */
const SAME = 1e-3;

/**
 * Rows of spans on a painter of their own. When the view moves by whole pixels, what is drawn already moves along and only the new columns are
 * drawn, so that a frame costs what is new in it.
 */
export class DrawnRows {
  readonly #painter: Painter;
  readonly #cache: TileCache;
  #last: Drawing | undefined;
  /** Of the last drawing: all tiles were there. */
  #isWhole = false;
  /** Moment of column 0, ns; those of all columns are counted from the first drawing on, so that no error adds up. */
  #origin = 0;
  #column = 0;
  #perPixel = 1;
  #level = 0;

  constructor(painter: Painter, cache: TileCache) {
    this.#painter = painter;
    this.#cache = cache;
  }

  /** All of it, in pixels of the device. What is on its way is drawn from a coarser level, where that is there. */
  draw(drawing: Drawing, width: number, height: number): void {
    const moved = this.#movedBy(drawing, width, height);
    if (moved === undefined) {
      this.#painter.begin(width, height, drawing.colours);
      const { view, data } = drawing;
      this.#origin = view.from;
      this.#column = 0;
      this.#perPixel = (view.to - view.from) / this.#painter.width;
      this.#level = levelFor(data, view, this.#painter.width);
      this.#isWhole = this.#fill(drawing, { left: 0, pixels: this.#painter.width });
    } else if (moved !== 0) {
      this.#column += moved;
      this.#isWhole = this.#fill(drawing, this.#painter.scroll(moved));
      this.#expect(drawing, Math.sign(moved));
    }
    this.#last = drawing;
  }

  get painter(): Painter {
    return this.#painter;
  }

  /** Columns that the view went to the right; undefined where everything is to be drawn anew. */
  #movedBy({ view, rows, scale, bright, colours }: Drawing, width: number, height: number): number | undefined {
    const last = this.#last;
    if (last === undefined || !this.#isWhole || width !== this.#painter.width || height !== this.#painter.height) {
      return undefined;
    }
    if (rows !== last.rows || scale !== last.scale || bright !== last.bright || colours !== last.colours) {
      return undefined;
    }
    const perPixel = this.#perPixel;
    if (Math.abs(view.to - view.from - width * perPixel) > SAME * perPixel) return undefined;
    const columns = (view.from - this.#origin) / perPixel;
    const whole = Math.round(columns);
    if (Math.abs(columns - whole) > SAME || Math.abs(whole - this.#column) >= width) return undefined;
    return whole - this.#column;
  }

  #fill(drawing: Drawing, { left, pixels }: Strip): boolean {
    const { rows, data, scale, bright } = drawing;
    const level = this.#level;
    const from = this.#origin + (this.#column + left) * this.#perPixel;
    const part = { from, to: from + pixels * this.#perPixel };
    let isWhole = true;
    for (const { series, y, height } of rows) {
      if (!gather(series, level, data, part, pixels, this.#cache.get.bind(this.#cache))) {
        isWhole = false;
        for (let coarser = level + 1; coarser <= data.coarsest; coarser++) {
          if (gather(series, coarser, data, part, pixels, this.#cache.peek.bind(this.#cache))) break;
        }
      }
      this.#painter.row(writer.row(), left, y * scale, height * scale, bright);
    }
    return isWhole;
  }

  /** Whoever moves goes on: the next tiles are asked for before they are in view. */
  #expect({ rows, data, view }: Drawing, direction: number): void {
    const width = tileNs(data.binNs, this.#level);
    const next = direction > 0 ? Math.ceil(view.to / width) : Math.floor(view.from / width) - 1;
    if (next < 0 || next * width >= data.durationNs) return;
    for (const { series } of rows) this.#cache.expect(series, this.#level, next);
  }
}

/** Puts the tiles of a series into the writer; false where one is still on its way. */
function gather(
  series: string,
  level: number,
  data: TimelineData,
  view: Viewport,
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
