import type { TimelineData } from '../../src/report/page/tiles.ts';
import { drawnArrows } from './arrows.ts';
import { resolved } from './colours.ts';
import { DrawnRows } from './draw.ts';
import { paintArrows } from './paint-arrows.ts';
import { Painter } from './painter.ts';
import type { rowsOf, TimelineRow } from './rows.ts';
import type { TileCache } from './tile-cache.ts';
import { NS, ticks, type Viewport } from './viewport.ts';

/** Heights in pixels of the page. */
export const AXIS = 24;
export const MINIMAP = 34;

export interface Painted extends ReturnType<typeof rowsOf> {
  readonly view: Viewport;
  readonly width: number;
  readonly bright: ReadonlySet<number> | undefined;
}

interface Marks {
  /** Of the page: light or dark. */
  readonly shade: string;
  readonly range: { readonly from: number; readonly to: number } | undefined;
  readonly drag: { readonly from: number; readonly to: number; readonly isMap: boolean } | undefined;
}

interface Colours {
  readonly subjects: readonly string[];
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly focus: string;
  readonly hover: string;
}

/** A timeline's canvas, frame after frame. */
export class Painting {
  readonly #data: TimelineData;
  readonly #names: readonly string[];
  readonly #rows: DrawnRows;
  readonly #map: DrawnRows;
  #mapRows: { readonly of: readonly TimelineRow[]; readonly small: readonly TimelineRow[] } | undefined;
  #colours: { readonly shade: string; readonly colours: Colours } | undefined;

  /** `names`: of the custom properties with the subjects' colours. */
  constructor(data: TimelineData, cache: TileCache, names: readonly string[]) {
    this.#data = data;
    this.#names = names;
    this.#rows = new DrawnRows(new Painter(), cache);
    this.#map = new DrawnRows(new Painter(), cache);
  }

  /** Draws the small map of the whole run, the axis, the rows and what is selected. */
  paint(element: HTMLCanvasElement, { view, width, rows, height, bright }: Painted, marks: Marks): void {
    const context = element.getContext('2d');
    if (context === null) return;
    const data = this.#data;
    const scale = globalThis.devicePixelRatio || 1;
    const high = height + AXIS + MINIMAP;
    if (element.width !== Math.round(width * scale) || element.height !== Math.round(high * scale)) {
      element.width = Math.round(width * scale);
      element.height = Math.round(high * scale);
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, high);
    const colours = this.#coloursIn(marks.shade, element);
    const drawing = { data, scale, bright, colours: colours.subjects };
    const whole = { from: 0, to: Math.max(1, data.durationNs) };
    this.#map.draw(
      { ...drawing, rows: this.#smallRows(rows), view: whole },
      element.width,
      Math.round((MINIMAP - 6) * scale),
    );
    show(context, this.#map, 0);
    this.#rows.draw({ ...drawing, rows, view }, element.width, Math.round(height * scale));
    show(context, this.#rows, (MINIMAP + AXIS) * scale);
    frameView(context, view, whole, width, colours);
    context.translate(0, MINIMAP);
    drawAxis(context, view, width, height, colours);
    context.translate(0, AXIS);
    drawMarks(context, data, { view, width, rows, height, bright }, marks, colours);
  }

  /** Looked up once for each shade: subjects may be very many. */
  #coloursIn(shade: string, element: Element): Colours {
    if (this.#colours?.shade !== shade) {
      const subjects = resolved(this.#names, element);
      const [ink = '', soft = '', line = '', focus = '', hover = ''] = resolved(
        ['--ink', '--soft', '--line', '--chosen-line', '--hover'],
        element,
      );
      this.#colours = { shade, colours: { subjects, ink, soft, line, focus, hover } };
    }
    return this.#colours.colours;
  }

  /** The whole run, small: the outermost spans of each lane one below the other. */
  #smallRows(rows: readonly TimelineRow[]): readonly TimelineRow[] {
    if (this.#mapRows?.of !== rows) {
      const outer = rows.filter(({ name }) => name !== undefined);
      const each = (MINIMAP - 8) / Math.max(1, outer.length);
      const small = outer.map((row, at) => ({ ...row, y: at * each + 1, height: Math.max(1, each - 0.5) }));
      this.#mapRows = { of: rows, small };
    }
    return this.#mapRows.small;
  }
}

/** In pixels of the device. */
function show(context: CanvasRenderingContext2D, { painter: { bytes, width, height } }: DrawnRows, y: number): void {
  const image = images.get(bytes) ?? new ImageData(bytes, width, height);
  images.set(bytes, image);
  context.putImageData(image, 0, Math.round(y));
}

/** One for each painter's pixels, as long as they last. */
const images = new WeakMap<Uint8ClampedArray, ImageData>();

/** The small map's ground, and a frame around what is in view. */
function frameView(
  context: CanvasRenderingContext2D,
  view: Viewport,
  whole: Viewport,
  width: number,
  { hover, focus }: Colours,
): void {
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = hover;
  context.fillRect(0, 0, width, MINIMAP - 6);
  context.globalCompositeOperation = 'source-over';
  const left = (view.from / whole.to) * width;
  const right = (view.to / whole.to) * width;
  context.strokeStyle = focus;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.75, 0.75, Math.max(3, right - left - 1.5), MINIMAP - 7.5);
}

/** Moments at the top, and their lines behind the spans. */
function drawAxis(
  context: CanvasRenderingContext2D,
  view: Viewport,
  width: number,
  height: number,
  { line, soft }: Colours,
): void {
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'top';
  const most = Math.max(2, Math.floor(width / 110));
  for (const moment of ticks(view, most)) {
    const x = Math.round(xIn(view, width, moment)) + 0.5;
    context.strokeStyle = line;
    context.lineWidth = 1;
    // Behind the spans.
    context.globalCompositeOperation = 'destination-over';
    context.beginPath();
    context.moveTo(x, AXIS - 6);
    context.lineTo(x, height + AXIS);
    context.stroke();
    context.globalCompositeOperation = 'source-over';
    context.fillStyle = soft;
    const words = momentWords(moment, view);
    if (x + 4 + context.measureText(words).width <= width) context.fillText(words, x + 4, 4);
  }
}

/** Arrows between lanes, the selected time, and what is being selected. */
function drawMarks(
  context: CanvasRenderingContext2D,
  data: TimelineData,
  { view, width, rows, height }: Painted,
  { range, drag }: Marks,
  { ink, focus }: Colours,
): void {
  const chosen = range === undefined ? undefined : { from: range.from * NS, to: range.to * NS };
  paintArrows(context, drawnArrows(data.arrows, rows, view, width, chosen), { plain: ink, chosen: focus });
  if (chosen !== undefined) {
    shadeRange(context, xIn(view, width, chosen.from), xIn(view, width, chosen.to), height, focus);
  }
  if (drag !== undefined && !drag.isMap) {
    shadeRange(context, Math.min(drag.from, drag.to), Math.max(drag.from, drag.to), height, ink);
  }
}

const xIn = ({ from, to }: Viewport, width: number, ns: number): number => ((ns - from) / (to - from)) * width;

function shadeRange(context: CanvasRenderingContext2D, from: number, to: number, height: number, colour: string): void {
  context.globalAlpha = 0.1;
  context.fillStyle = colour;
  context.fillRect(from, -AXIS, to - from, height + AXIS);
  context.globalAlpha = 1;
  context.fillRect(from, -AXIS, 1, height + AXIS);
  context.fillRect(to, -AXIS, 1, height + AXIS);
}

/** A moment with as many digits as the view needs. */
function momentWords(ns: number, { from, to }: Viewport): string {
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10((to - from) / NS)) + 1));
  return `${(ns / NS).toFixed(digits)} s`;
}
