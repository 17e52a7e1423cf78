import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { tileNs } from '../../src/analysis/pyramid/tile.ts';
import { percent, plural, preciseTime } from '../../src/report/format.ts';
import type { TileSource, TimelineData } from '../../src/report/page/tiles.ts';
import { Scrolled } from '../blocks.tsx';
import { useKeys } from '../keys.ts';
import { selection, selectOperators, selectRange, theme } from '../state.ts';
import { colourNames, hasSpans, resolved } from './colours.ts';
import { drawRows } from './draw.ts';
import { Painter } from './painter.ts';
import { rowsOf } from './rows.ts';
import { TileCache } from './tile-cache.ts';
import { rangeTotals } from './totals.ts';
import { clamped, panned, ticks, type Viewport, zoomed } from './viewport.ts';

const NS = 1e9;
const AXIS = 24;
const MINIMAP = 34;
/** Lanes that are drawn at once; a search finds the others. */
const MOST_LANES = 64;
const ZOOM = 0.8;
const PAN = 0.12;

/** Spans of every lane over time, at any zoom. */
export function TimelineView({
  data,
  tiles,
  causes,
}: {
  readonly data: TimelineData;
  readonly tiles: TileSource;
  readonly causes: ReadonlySet<string>;
}): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const view = useSignal<Viewport>({ from: 0, to: Math.max(1, data.durationNs) });
  const width = useSignal(0);
  const wanted = useSignal('');
  const arrived = useSignal(0);
  const drag = useSignal<{ readonly from: number; readonly to: number; readonly isMap: boolean } | undefined>(
    undefined,
  );
  const pointed = useSignal<number | undefined>(undefined);
  const cache = useMemo(() => new TileCache(tiles, () => arrived.value++), [tiles]);
  const colours = useMemo(() => colourNames(data.subjects, causes), [data, causes]);

  /** Subjects that are searched for or selected; undefined: all. */
  const bright = useComputed(() => {
    const text = wanted.value.trim().toLowerCase();
    const { operators } = selection.value;
    if (text === '' && operators.length === 0) return undefined;
    return new Set(
      data.subjects.flatMap((subject, at) => {
        const { label, key, operators: its } = subject;
        if (!hasSpans(subject)) return [];
        return (text !== '' && `${label} ${key}`.toLowerCase().includes(text)) ||
          (text === '' && its.some(id => operators.includes(id)))
          ? [at]
          : [];
      }),
    );
  });
  const lanes = useComputed(() => {
    const text = wanted.value.trim().toLowerCase();
    const byName = data.lanes.flatMap(({ name }, at) => (text !== '' && name.toLowerCase().includes(text) ? [at] : []));
    return new Set(byName.length > 0 ? byName.slice(0, MOST_LANES) : [...data.lanes.keys()].slice(0, MOST_LANES));
  });
  const layout = useComputed(() => rowsOf(data, lane => lanes.value.has(lane)));
  const painters = useMemo((): Painters => ({ rows: new Painter(), map: new Painter(), mapKey: undefined }), []);
  const mapKey = useComputed(() => ({
    ...{ width: width.value, theme: theme.value, bright: bright.value, layout: layout.value },
    arrived: arrived.value,
  }));

  const change = (next: Viewport): void => {
    view.value = clamped(next, data.durationNs);
  };
  const fit = (): void => {
    const { range } = selection.value;
    change(range === undefined ? { from: 0, to: data.durationNs } : widened(range.from * NS, range.to * NS));
  };
  const anchor = (): number => (pointed.value === undefined || width.value === 0 ? 0.5 : pointed.value / width.value);
  useKeys('Timeline', [
    {
      code: 'KeyW',
      label: 'W',
      does: 'zoom in',
      run: () => change(zoomed(view.value, ZOOM, anchor(), data.durationNs)),
    },
    {
      code: 'KeyS',
      label: 'S',
      does: 'zoom out',
      run: () => change(zoomed(view.value, 1 / ZOOM, anchor(), data.durationNs)),
    },
    { code: 'KeyA', label: 'A', does: 'earlier', run: () => change(panned(view.value, -PAN, data.durationNs)) },
    { code: 'KeyD', label: 'D', does: 'later', run: () => change(panned(view.value, PAN, data.durationNs)) },
    { code: 'KeyF', label: 'F', does: 'fit the selection', run: fit },
    { code: 'Digit0', label: '0', does: 'the whole run', run: () => change({ from: 0, to: data.durationNs }) },
    { key: '/', label: '/', does: 'search lanes and operators', run: () => search.current?.focus() },
  ]);

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry?.contentRect.width ?? 0);
    });
    observer.observe(element);
    const onWheel = (event: WheelEvent): void => {
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!event.ctrlKey && !event.metaKey && !sideways) return;
      event.preventDefault();
      if (sideways) change(panned(view.value, event.deltaX / Math.max(1, width.value), data.durationNs));
      else change(zoomed(view.value, event.deltaY > 0 ? 1 / ZOOM : ZOOM, anchor(), data.durationNs));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [data]);

  useSignalEffect(() => {
    const element = canvas.current;
    // Read here, so that a change of any of them draws anew.
    const state = { view: view.value, width: width.value, bright: bright.value, ...layout.value, mapKey: mapKey.value };
    const marks = { range: selection.value.range, drag: drag.value, theme: theme.value, arrived: arrived.value };
    if (element === null || state.width === 0) return undefined;
    const frame = requestAnimationFrame(() => paint(element, data, cache, painters, colours, state, marks));
    return () => cancelAnimationFrame(frame);
  });

  const momentAt = (x: number): number =>
    view.value.from + (x / Math.max(1, width.value)) * (view.value.to - view.value.from);
  const onMap = (x: number): void => {
    const half = (view.value.to - view.value.from) / 2;
    const middle = (x / Math.max(1, width.value)) * data.durationNs;
    change({ from: middle - half, to: middle + half });
  };
  return (
    <div class="timeline">
      <div class="timeline-tools">
        <input
          ref={search}
          type="search"
          placeholder="Search lanes and operators  /"
          aria-label="Search lanes and operators"
          value={wanted.value}
          onInput={event => {
            wanted.value = event.currentTarget.value;
          }}
          onKeyDown={event => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <span class="muted">
          {wanted.value.trim() === ''
            ? `${plural(data.spans, 'span')} in ${plural(data.lanes.length, 'lane')}`
            : `${plural(bright.value?.size ?? 0, 'operator or phase', 'operators and phases')} in ${plural(lanes.value.size, 'lane')}`}
          {data.lanes.length > MOST_LANES && wanted.value.trim() === '' ? `; the first ${MOST_LANES} are shown` : ''}
        </span>
        <span class="grow" />
        <span class="keys" aria-hidden="true">
          <kbd>W</kbd> <kbd>S</kbd> zoom <kbd>A</kbd> <kbd>D</kbd> move <kbd>F</kbd> fit · drag to select
        </span>
      </div>
      <div class="timeline-body">
        <ul class="lane-names">
          {layout.value.rows.map(({ name, y, series }) =>
            name === undefined ? null : (
              <li key={series} style={{ top: `${y + AXIS + MINIMAP}px` }} title={name}>
                {name}
              </li>
            ),
          )}
        </ul>
        <canvas
          ref={canvas}
          style={{ height: `${layout.value.height + AXIS + MINIMAP}px` }}
          role="img"
          aria-label="Spans of lanes over time; the table below has their totals"
          onPointerDown={event => {
            const isMap = event.offsetY < MINIMAP;
            event.currentTarget.setPointerCapture(event.pointerId);
            drag.value = { from: event.offsetX, to: event.offsetX, isMap };
            if (isMap) onMap(event.offsetX);
          }}
          onPointerMove={event => {
            pointed.value = event.offsetX;
            if (drag.value === undefined) return;
            drag.value = { ...drag.value, to: event.offsetX };
            if (drag.value.isMap) onMap(event.offsetX);
          }}
          onPointerUp={() => {
            const done = drag.value;
            drag.value = undefined;
            if (done === undefined || done.isMap) return;
            const [left, right] = [Math.min(done.from, done.to), Math.max(done.from, done.to)];
            selectRange(right - left < 4 ? undefined : { from: momentAt(left) / NS, to: momentAt(right) / NS });
          }}
          onPointerLeave={() => {
            pointed.value = undefined;
          }}
        />
      </div>
      <Totals data={data} tiles={tiles} colours={colours} />
    </div>
  );
}

/** With a margin on both sides. */
const widened = (from: number, to: number): Viewport => ({
  from: from - 0.05 * (to - from),
  to: to + 0.05 * (to - from),
});

interface Painted extends ReturnType<typeof rowsOf> {
  readonly view: Viewport;
  readonly width: number;
  readonly bright: ReadonlySet<number> | undefined;
  /** The small drawing of the whole run is made anew where this is another. */
  readonly mapKey: object;
}

interface Painters {
  readonly rows: Painter;
  readonly map: Painter;
  mapKey: object | undefined;
}

interface Marks {
  readonly range: { readonly from: number; readonly to: number } | undefined;
  readonly drag: { readonly from: number; readonly to: number; readonly isMap: boolean } | undefined;
}

function paint(
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
    context.fillText(momentWords(moment, view), x + 4, 4);
  }
  context.translate(0, AXIS);
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

/** Time by operator in the selected range, or in the whole run: the drawing as text. */
function Totals({
  data,
  tiles,
  colours,
}: {
  readonly data: TimelineData;
  readonly tiles: TileSource;
  readonly colours: readonly string[];
}): JSX.Element {
  const rows = useSignal<readonly (readonly [subject: number, ns: number])[]>([]);
  const range = useComputed(() => {
    const { range: chosen } = selection.value;
    return chosen === undefined
      ? { from: 0, to: data.durationNs }
      : { from: Math.max(0, chosen.from * NS), to: Math.min(data.durationNs, chosen.to * NS) };
  });
  useSignalEffect(() => {
    // Of a whole run one tile of each series: nothing happens behind its end.
    const { from, to } =
      selection.value.range === undefined ? { from: 0, to: tileNs(data.binNs, data.coarsest) } : range.value;
    let isCurrent = true;
    const series = data.lanes.flatMap(lane => lane.series.map(({ key }) => key));
    const add = async (): Promise<void> => {
      const totals = await rangeTotals(data, series, { from, to }, tiles);
      if (isCurrent) rows.value = [...totals].sort(([, a], [, b]) => b - a);
    };
    void add();
    return () => {
      isCurrent = false;
    };
  });
  const { from, to } = range.value;
  return (
    <>
      <h3>
        {selection.value.range === undefined ? 'Time in spans' : 'Time in spans of the selection'}
        <small>
          {preciseTime(to - from)} from {(from / NS).toFixed(3)} s; lanes work at once, so shares add up to more than a
          whole
        </small>
      </h3>
      <Scrolled label="Time by operator and phase">
        <table>
          <thead>
            <tr>
              <th scope="col">operator or phase</th>
              <th scope="col" class="right">
                time
              </th>
              <th scope="col" class="right">
                of {selection.value.range === undefined ? 'the run' : 'the selection'}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.value.slice(0, 40).map(([subject, ns]) => {
              const its = data.subjects[subject];
              return (
                <tr key={subject}>
                  <td>
                    <svg width="10" height="10" aria-hidden="true">
                      <title>{its?.label}</title>
                      <rect width="10" height="10" rx="2" style={{ fill: `var(${colours[subject]})` }} />
                    </svg>{' '}
                    {its === undefined || its.operators.length === 0 ? (
                      its?.label
                    ) : (
                      <button type="button" class="link" onClick={() => selectOperators(its.operators)}>
                        {its.label}
                      </button>
                    )}
                    <small class="muted"> {its?.key.split(':')[0]}</small>
                  </td>
                  <td class="right">{preciseTime(ns)}</td>
                  <td class="right">{percent(to > from ? ns / (to - from) : 0)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scrolled>
    </>
  );
}
