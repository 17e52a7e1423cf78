import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { plural } from '../../src/report/format.ts';
import type { TileSource, TimelineData } from '../../src/report/page/tiles.ts';
import { useDrawing } from '../drawing.ts';
import { useKeys } from '../keys.ts';
import { printing, selection, selectRange, shade } from '../state.ts';
import { colourNames, hasSpans } from './colours.ts';
import { AXIS, MINIMAP, Painting } from './paint.ts';
import { rowsOf } from './rows.ts';
import { TileCache } from './tile-cache.ts';
import { TotalsTable } from './totals-table.tsx';
import { clamped, NS, panned, type Viewport, zoomed } from './viewport.ts';

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
  const painting = useMemo(() => new Painting(data, cache, colours), [data, cache, colours]);

  const change = (next: Viewport): void => {
    const { from, to } = clamped(next, data.durationNs);
    // At its ends it stays where it is: nothing is drawn anew.
    if (from !== view.value.from || to !== view.value.to) view.value = { from, to };
  };
  const pan = (by: number): void => change(panned(view.value, by, data.durationNs, canvas.current?.width ?? 0));
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
    { code: 'KeyA', label: 'A', does: 'earlier', run: () => pan(-PAN) },
    { code: 'KeyD', label: 'D', does: 'later', run: () => pan(PAN) },
    { code: 'KeyF', label: 'F', does: 'fit the selection', run: fit },
    { code: 'Digit0', label: '0', does: 'the whole run', run: () => change({ from: 0, to: data.durationNs }) },
    {
      code: 'KeyR',
      label: 'R',
      does: 'select the time in view',
      run: () => selectRange({ from: view.value.from / NS, to: view.value.to / NS }),
    },
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
      if (sideways) pan(event.deltaX / Math.max(1, width.value));
      else change(zoomed(view.value, event.deltaY > 0 ? 1 / ZOOM : ZOOM, anchor(), data.durationNs));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [data]);

  useDrawing(() => {
    const element = canvas.current;
    // Read here, so that a change of any of them draws anew.
    const state = { view: view.value, width: width.value, bright: bright.value, ...layout.value };
    const marks = { range: selection.value.range, drag: drag.value, shade: shade.value, arrived: arrived.value };
    if (element === null || state.width === 0) return undefined;
    const draw = (): void => painting.paint(element, state, marks);
    if (printing.value) {
      draw();
      return undefined;
    }
    const frame = requestAnimationFrame(draw);
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
          <kbd>W</kbd> <kbd>S</kbd> zoom <kbd>A</kbd> <kbd>D</kbd> move <kbd>F</kbd> fit <kbd>R</kbd> or drag: select
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
      <TotalsTable data={data} tiles={tiles} colours={colours} />
    </div>
  );
}

/** With a margin on both sides. */
const widened = (from: number, to: number): Viewport => ({
  from: from - 0.05 * (to - from),
  to: to + 0.05 * (to - from),
});
