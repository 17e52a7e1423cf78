import { expect, test } from 'vitest';
import { RecentBatches } from './recent.ts';
import { elementsOf, feed, inner, type LaneRows, order, span } from './records.fixture.ts';

const MS = 1e6;
const MAIN = 1;
const WORKER = 2;

/** Batches from one worker that takes 100 ms for each; the step takes so many ms. */
function lanesOf(from: number, to: number, step: number, loader = 'train'): LaneRows[] {
  const main: LaneRows['rows'][number][] = [];
  const worker: LaneRows['rows'][number][] = [];
  const every = Math.max(100, step) * MS;
  for (let number = from; number < to; number++) {
    const start = number * every;
    const ready = start + 100 * MS;
    const got = ready + MS;
    const next = got + every;
    main.push(
      ...order(loader, number, start - MS, WORKER, number),
      span(`wait:${loader}`, number, Math.min(got, start + step * MS), got),
      span(`consume:${loader}`, number, got, next - Math.max(0, 100 - step) * MS),
    );
    worker.push(
      span('idle', number, start - 1, start),
      span('operator:item', number, start, ready),
      inner('operator:decode', start, ready),
      span('prepare', number, start, ready),
      elementsOf(8),
    );
  }
  return [
    { pid: MAIN, rows: main },
    { pid: WORKER, rows: worker },
  ];
}

test('before the first batch there is nothing to say', () => {
  expect(new RecentBatches().now(1e9, 2)).toBeUndefined();
});

test('a rate and a limit are of the last seconds, the count is of all', () => {
  const recent = feed(new RecentBatches(), lanesOf(0, 1000, 20));
  const now = recent.now(1000 * 100 * MS, 2);
  expect(now).toMatchObject({ loader: 'train', batches: 1000, bound: 'preparation' });
  expect(now?.batchesPerSecond).toBeCloseTo(10, 0);
  expect(now?.waitShare).toBeCloseTo(0.8, 1);
});

test('a consumer that became the limit is, once what was before is past', () => {
  const recent = feed(new RecentBatches(), lanesOf(0, 100, 20));
  feed(recent, lanesOf(100, 200, 400));
  expect(recent.now(200 * 400 * MS, 2)).toMatchObject({ batches: 200, bound: 'consumer' });
});

test('a program that stands still comes to nothing', () => {
  const recent = feed(new RecentBatches(), lanesOf(0, 100, 20));
  expect(recent.now(1e12, 2)).toMatchObject({ batches: 100, batchesPerSecond: 0, bound: 'unclear' });
});

test('the loader that was asked last is told of', () => {
  const recent = feed(new RecentBatches(), lanesOf(0, 10, 20));
  feed(recent, lanesOf(10, 20, 20, 'val'));
  expect(recent.now(20 * 100 * MS, 2)).toMatchObject({ loader: 'val', batches: 10 });
});
