import type { TimelineData } from '../../src/report/page/tiles.ts';
import { drawnArrows } from './arrows.ts';
import { resolved } from './colours.ts';
import { drawRows } from './draw.ts';
import { paintArrows } from './paint-arrows.ts';
import type { Painter } from './painter.ts';
import type { rowsOf } from './rows.ts';
import type { TileCache } from './tile-cache.ts';
import { NS, ticks, type Viewport } from './viewport.ts';

/** Heights in pixels of the page. */
export const AXIS = 24;
export const MINIMAP = 34;

export interface Painted extends ReturnType<typeof rowsOf> {
  readonly view: Viewport;
  readonly width: number;
  readonly bright: ReadonlySet<number> | undefined;
  /** The small drawing of the whole run is made anew where this is another. */
  readonly mapKey: object;
}

export interface Painters {
  readonly rows: Painter;
  readonly map: Painter;
  mapKey: object | undefined;
}

interface Marks {
  readonly range: { readonly from: number; readonly to: number } | undefined;
  readonly drag: { readonly from: number; readonly to: number; readonly isMap: boolean } | undefined;
}

/** Draws the small map of the whole run, the axis, the rows and what is selected. */
export function paint(
  element: HTMLCanvasElement,
  data: TimelineData,
  cache: TileCache,
  painters: Painters,
  names: readonly string[],
  { view, width, rows, height, bright, mapKey }: Painted,
  { range, drag }: Marks,
): void {
  const context = element.getContext('2d');
  if (context === null) return;
  const scale = globalThis.devicePixelRatio || 1;
  const high = height + AXIS + MINIMAP;
  if (element.width !== Math.round(width * scale) || element.height !== Math.round(high * scale)) {
    element.width = Math.round(width * scale);
    element.height = Math.round(high * scale);
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, high);
  const colours = resolved(names, element);
  const [ink = '', soft = '', line = '', focus = '', hover = ''] = resolved(
    ['--ink', '--soft', '--line', '--chosen-line', '--hover'],
    element,
  );
  const xOf = (ns: number): number => ((ns - view.from) / (view.to - view.from)) * width;

  // The whole run, small: the outermost spans of each lane one below the other.
  const outer = rows.filter(({ name }) => name !== undefined);
  const each = (MINIMAP - 8) / Math.max(1, outer.length);
  const whole = { from: 0, to: Math.max(1, data.durationNs) };
  if (mapKey !== painters.mapKey) {
    const small = outer.map((row, at) => ({ ...row, y: at * each + 1, height: Math.max(1, each - 0.5) }));
    painters.map.begin(element.width, Math.round((MINIMAP - 6) * scale), colours);
    drawRows(painters.map, { data, rows: small, view: whole, scale, bright }, cache);
    painters.mapKey = mapKey;
  }
  painters.map.show(context, 0);
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = hover;
  context.fillRect(0, 0, width, MINIMAP - 6);
  context.globalCompositeOperation = 'source-over';
  const [left, right] = [view.from / whole.to, view.to / whole.to].map(part => part * width);
  context.strokeStyle = focus;
  context.lineWidth = 1.5;
  context.strokeRect((left ?? 0) + 0.75, 0.75, Math.max(3, (right ?? 0) - (left ?? 0) - 1.5), MINIMAP - 7.5);

  painters.rows.begin(element.width, Math.round(height * scale), colours);
  drawRows(painters.rows, { data, rows, view, scale, bright }, cache);
  painters.rows.show(context, (MINIMAP + AXIS) * scale);
  context.translate(0, MINIMAP);
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'top';
  const most = Math.max(2, Math.floor(width / 110));
  for (const moment of ticks(view, most)) {
    const x = Math.round(xOf(moment)) + 0.5;
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
  context.translate(0, AXIS);
  const chosen = range === undefined ? undefined : { from: range.from * NS, to: range.to * NS };
  paintArrows(context, drawnArrows(data.arrows, rows, view, width, chosen), { plain: ink, chosen: focus });
  if (range !== undefined) shade(context, xOf(range.from * NS), xOf(range.to * NS), height, focus);
  if (drag !== undefined && !drag.isMap)
    shade(context, Math.min(drag.from, drag.to), Math.max(drag.from, drag.to), height, ink);
}

function shade(context: CanvasRenderingContext2D, from: number, to: number, height: number, colour: string): void {
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
