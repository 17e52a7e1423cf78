import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { TimelineData } from '../../src/report/page/tiles.ts';
import { type Drawing, DrawnRows } from './draw.ts';
import { Painter } from './painter.ts';
import { pyramidOver } from './spans.fixture.ts';
import { TileCache } from './tile-cache.ts';
import { clamped, panned, type Viewport, zoomed } from './viewport.ts';

const SPANS = 20_000;
const WIDTH = 300;
const HEIGHT = 30;
const ROWS = [{ lane: 0, series: '0.0', y: 4, height: 22, name: 'lane' }];
const COLOURS = ['#102030', '#405060', '#708090'];

const start = Float64Array.from({ length: SPANS }, (_, at) => at * 1000 + ((at * 7919) % 300));
const duration = Float64Array.from({ length: SPANS }, (_, at) => (at * 104_729) % 700);
const subject = Int32Array.from({ length: SPANS }, (_, at) => (at * 31) % 3);
const pyramid = pyramidOver({ start, duration, subject }, ['a', 'b', 'c']);
const data: TimelineData = {
  durationNs: pyramid.endNs,
  spans: SPANS,
  lanes: [],
  subjects: [],
  binNs: pyramid.binNs,
  finest: 0,
  coarsest: pyramid.coarsest,
  arrows: [],
};

const drawingOf = (view: Viewport): Drawing => ({
  ...{ data, rows: ROWS, view, scale: 1, bright: undefined, colours: COLOURS },
});

/** Its tiles are there at once, or come later. */
const cacheOf = (): TileCache =>
  new TileCache(
    { tiles: async (series, level, index) => series.map(key => pyramid.tile(key, level, index)) },
    () => undefined,
  );
const arrived = (): Promise<void> => new Promise(resolve => setTimeout(resolve));

async function drawnAfresh(view: Viewport): Promise<Uint8ClampedArray> {
  const cache = cacheOf();
  const rows = new DrawnRows(new Painter(), cache);
  rows.draw(drawingOf(view), WIDTH, HEIGHT);
  await arrived();
  rows.draw(drawingOf(view), WIDTH, HEIGHT);
  return rows.painter.bytes;
}

const move = fc.oneof(
  fc.double({ min: -1.5, max: 1.5, noNaN: true }).map(by => ({ by })),
  fc.double({ min: 0.1, max: 3, noNaN: true }).map(factor => ({ factor })),
);

test('what moved along equals what is drawn afresh, wherever the view goes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 12 }), fc.nat(12), async (moves, zooms) => {
      let view = clamped({ from: 0, to: data.durationNs * 0.6 ** zooms }, data.durationNs);
      const rows = new DrawnRows(new Painter(), cacheOf());
      for (const each of [{ by: 0 }, ...moves]) {
        view =
          'by' in each
            ? panned(view, each.by, data.durationNs, WIDTH)
            : zoomed(view, each.factor, 0.5, data.durationNs);
        rows.draw(drawingOf(view), WIDTH, HEIGHT);
        await arrived();
        rows.draw(drawingOf(view), WIDTH, HEIGHT);
      }
      expect(different(rows.painter.bytes, await drawnAfresh(view))).toBeLessThanOrEqual(MOST_DIFFERENT);
    }),
    { numRuns: 60 },
  );
});

/** Sums in another order may round a column's height the other way, and take the other of two equal subjects. */
const MOST_DIFFERENT = 3;

/** Columns that differ. */
function different(one: Uint8ClampedArray, other: Uint8ClampedArray): number {
  const columns = new Set<number>();
  for (const [at, value] of one.entries()) if (value !== other[at]) columns.add(Math.floor(at / 4) % WIDTH);
  return columns.size;
}

test('a view that does not change is not drawn again', async () => {
  const cache = cacheOf();
  const painter = new Painter();
  const rows = new DrawnRows(painter, cache);
  const view = { from: 0, to: data.durationNs / 3 };
  rows.draw(drawingOf(view), WIDTH, HEIGHT);
  await arrived();
  const begin = vi.spyOn(painter, 'begin');
  const scroll = vi.spyOn(painter, 'scroll');
  rows.draw(drawingOf(view), WIDTH, HEIGHT);
  // Its tiles were not there the first time.
  expect(begin).toHaveBeenCalledTimes(1);
  rows.draw(drawingOf({ ...view }), WIDTH, HEIGHT);
  rows.draw(drawingOf(panned(view, 0.1, data.durationNs, WIDTH)), WIDTH, HEIGHT);
  expect(begin).toHaveBeenCalledTimes(1);
  expect(scroll).toHaveBeenCalledExactlyOnceWith(30);
});
