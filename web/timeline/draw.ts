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
/** Tiles are asked for up to this part of the view's width before its beginning and behind its end: it may move either way next. */
const AHEAD = 0.5;

/** Columns from `from` to before `to`, counted from the first drawing on. */
interface Columns {
  readonly from: number;
  readonly to: number;
}

/**
 * Rows of spans on a painter of their own. When the view moves by whole pixels, what is drawn already moves along and only the new columns are
 * drawn, and those of which tiles were missing, so that a frame costs what is new in it.
 */
export class DrawnRows {
  readonly #painter: Painter;
  readonly #cache: TileCache;
  #last: Drawing | undefined;
  /** Columns of which tiles were still on their way. */
  #unfinished: Columns | undefined;
  /** Tiles of the level from the first that was asked for to the last. */
  #expected: { readonly first: number; readonly last: number } | undefined;
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
      this.#expected = undefined;
      this.#unfinished = this.#fill(drawing, { from: 0, to: this.#painter.width });
    } else {
      if (moved !== 0) this.#painter.scroll(moved);
      this.#column += moved;
      const columns = this.#toDraw(moved);
      if (columns !== undefined) {
        this.#painter.clear(this.#stripOf(columns));
        this.#unfinished = this.#fill(drawing, columns);
      }
    }
    if (this.#unfinished === undefined) this.#expect(drawing);
    this.#last = drawing;
  }

  get painter(): Painter {
    return this.#painter;
  }

  /** Columns that the view went to the right; undefined where everything is to be drawn anew. */
  #movedBy({ view, rows, scale, bright, colours }: Drawing, width: number, height: number): number | undefined {
    const last = this.#last;
    if (last === undefined || width !== this.#painter.width || height !== this.#painter.height) return undefined;
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

  /** Columns in view that came into it or are unfinished. */
  #toDraw(moved: number): Columns | undefined {
    const from = this.#column;
    const to = from + this.#painter.width;
    const ranges: Columns[] = [];
    if (moved !== 0) ranges.push(moved > 0 ? { from: to - moved, to } : { from, to: from - moved });
    if (this.#unfinished !== undefined) ranges.push(this.#unfinished);
    const columns = {
      from: Math.max(from, Math.min(...ranges.map(each => each.from))),
      to: Math.min(to, Math.max(...ranges.map(each => each.to))),
    };
    if (columns.from < columns.to) return columns;
    this.#unfinished = undefined;
    return undefined;
  }

  #stripOf({ from, to }: Columns): Strip {
    return { left: from - this.#column, pixels: to - from };
  }

  /** Gives the columns back where tiles of them are still on their way. */
  #fill(drawing: Drawing, columns: Columns): Columns | undefined {
    const { rows, data, scale, bright } = drawing;
    const level = this.#level;
    const { left, pixels } = this.#stripOf(columns);
    const from = this.#origin + columns.from * this.#perPixel;
    const part = { from, to: from + pixels * this.#perPixel };
    let isWhole = true;
    for (const { series, y, height } of rows) {
      if (!gather(series, level, data, part, pixels, this.#cache, 'get')) {
        isWhole = false;
        for (let coarser = level + 1; coarser <= data.coarsest; coarser++) {
          if (gather(series, coarser, data, part, pixels, this.#cache, 'peek')) break;
        }
      }
      this.#painter.row(writer.row(), left, y * scale, height * scale, bright);
    }
    return isWhole ? undefined : columns;
  }

  /** Tiles beside the view are asked for before they are in it, each once. */
  #expect({ rows, data, view }: Drawing): void {
    const ahead = AHEAD * (view.to - view.from);
    const tiles = tilesIn(data, this.#level, {
      from: view.from - ahead,
      to: Math.min(data.durationNs, view.to + ahead),
    });
    const [first = 0] = tiles;
    const last = tiles.at(-1) ?? first;
    const before = this.#expected ?? { first: last + 1, last };
    if (first >= before.first && last <= before.last) return;
    this.#expected = { first: Math.min(first, before.first), last: Math.max(last, before.last) };
    for (const index of tiles) {
      if (index >= before.first && index <= before.last) continue;
      for (const { series } of rows) this.#cache.expect(series, this.#level, index);
    }
  }
}

/** Puts the tiles of a series into the writer; false where one is still on its way. */
function gather(
  series: string,
  level: number,
  data: TimelineData,
  view: Viewport,
  pixels: number,
  cache: TileCache,
  how: 'get' | 'peek',
): boolean {
  writer.begin(view, pixels);
  let isWhole = true;
  for (const index of tilesIn(data, level, view)) {
    const tile = cache[how](series, level, index);
    if (tile === 'asked') isWhole = false;
    else if (tile !== undefined) writer.add(tile, data.binNs, level, index);
  }
  return isWhole;
}
