import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { tileNs } from '../../src/analysis/pyramid/tile.ts';
import type { TimelineData } from '../../src/report/page/tiles.ts';
import { type Drawing, DrawnRows } from './draw.ts';
import { Painter } from './painter.ts';
import { pyramidOver } from './spans.fixture.ts';
import { TileCache } from './tile-cache.ts';
import { levelFor } from './tile-choice.ts';
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

test('only what a move brings into view is drawn, and nothing where nothing changed', async () => {
  const painter = new Painter();
  const rows = new DrawnRows(painter, cacheOf());
  const view = { from: 0, to: data.durationNs / 3 };
  rows.draw(drawingOf(view), WIDTH, HEIGHT);
  await arrived();
  const begin = vi.spyOn(painter, 'begin');
  const clear = vi.spyOn(painter, 'clear');
  rows.draw(drawingOf(view), WIDTH, HEIGHT);
  // Its tiles were not there the first time.
  expect(clear).toHaveBeenCalledExactlyOnceWith({ left: 0, pixels: WIDTH });
  await arrived();
  rows.draw(drawingOf({ ...view }), WIDTH, HEIGHT);
  expect(clear).toHaveBeenCalledTimes(1);
  const later = panned(view, 0.1, data.durationNs, WIDTH);
  rows.draw(drawingOf(later), WIDTH, HEIGHT);
  expect(clear).toHaveBeenLastCalledWith({ left: WIDTH - 30, pixels: 30 });
  rows.draw(drawingOf(panned(later, -0.05, data.durationNs, WIDTH)), WIDTH, HEIGHT);
  expect(clear).toHaveBeenLastCalledWith({ left: 0, pixels: 15 });
  expect(begin).not.toHaveBeenCalled();
});

test('columns whose tiles were missing are drawn again with them, and no others', async () => {
  const painter = new Painter();
  const rows = new DrawnRows(painter, cacheOf());
  const view = { from: 0, to: data.durationNs / 8 };
  for (let time = 0; time < 2; time++) {
    rows.draw(drawingOf(view), WIDTH, HEIGHT);
    await arrived();
  }
  const clear = vi.spyOn(painter, 'clear');
  // Farther than tiles were asked for.
  const far = panned(view, 0.9, data.durationNs, WIDTH);
  rows.draw(drawingOf(far), WIDTH, HEIGHT);
  const farther = panned(far, 0.1, data.durationNs, WIDTH);
  rows.draw(drawingOf(farther), WIDTH, HEIGHT);
  await arrived();
  rows.draw(drawingOf(farther), WIDTH, HEIGHT);
  rows.draw(drawingOf(farther), WIDTH, HEIGHT);
  const strips = [
    { left: 30, pixels: 270 },
    { left: 0, pixels: 300 },
    { left: 0, pixels: 300 },
  ];
  expect(clear.mock.calls).toEqual(strips.map(strip => [strip]));
  expect(different(painter.bytes, await drawnAfresh(farther))).toBeLessThanOrEqual(MOST_DIFFERENT);
});

test('tiles up to half a view away are asked for once a view is drawn, each once', async () => {
  const asked: number[] = [];
  const source = {
    tiles: async (series: readonly string[], level: number, index: number) => {
      asked.push(index);
      return series.map(key => pyramid.tile(key, level, index));
    },
  };
  const rows = new DrawnRows(new Painter(), new TileCache(source, () => undefined));
  const draw = async (view: Viewport): Promise<number[]> => {
    rows.draw(drawingOf(view), WIDTH, HEIGHT);
    await arrived();
    return asked.toSorted((a, b) => a - b);
  };
  const tile = tileNs(data.binNs, 2);
  let view: Viewport = { from: 4.8 * tile, to: 5.8 * tile };
  expect(levelFor(data, view, WIDTH)).toBe(2);
  expect(await draw(view)).toEqual([4, 5]);
  expect(await draw(view)).toEqual([4, 5, 6]);
  const after: number[][] = [];
  for (const by of [0, -0.4, 0.4, 0.4, 0.4]) {
    view = panned(view, by, data.durationNs, WIDTH);
    after.push(await draw(view));
  }
  const [known, wider] = [
    [4, 5, 6],
    [3, 4, 5, 6],
  ];
  expect(after).toEqual([known, wider, wider, wider, [...wider, 7]]);
});
