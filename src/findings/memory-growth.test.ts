import { expect, test } from 'vitest';
import { BatchFold } from '../analysis/batches/fold.ts';
import { MachineFold } from '../analysis/batches/machine-use.ts';
import { type MemoryGrowth, memoryGrowth } from '../analysis/batches/memory-growth.ts';
import { counter, feed, type LaneRows, order, span } from '../analysis/batches/records.fixture.ts';
import type { Metric } from '../model/metric.ts';
import { programFindings } from './judge.ts';
import { findingWords } from './words.ts';

const MB = 1e6;
const SECOND = 1e9;
const SECONDS = 200;
const MAIN = 10;
type Rows = LaneRows['rows'][number][];

const sampled = (metric: Metric, every: number, megabytes: (seconds: number) => number): Rows =>
  Array.from({ length: SECONDS / every }, (_, at) => counter(metric, at * every * SECOND, megabytes(at * every) * MB));

/** A program that consumes two batches a second from two workers, with memory that goes so. */
function growthOf({
  main = () => 500,
  resident = () => 400,
  own = () => 50,
  settings = { start_method: 'fork' },
}: {
  readonly main?: (seconds: number) => number;
  readonly resident?: (seconds: number) => number;
  readonly own?: (seconds: number) => number;
  readonly settings?: Readonly<Record<string, unknown>>;
}): MemoryGrowth[] {
  const facts = { loader: 'train', location: null, settings: { num_workers: 2, ...settings } };
  const batches = Array.from({ length: 2 * SECONDS }, (_, number) => {
    const at = (number / 2) * SECOND;
    return [
      ...order('train', number, at, MAIN + 1 + (number % 2), Math.floor(number / 2)),
      span('wait:train', number, at, at + 1000),
    ];
  });
  const consumer: LaneRows = {
    pid: MAIN,
    rows: [span(`facts:${JSON.stringify(facts)}`, 0, 0, 0), ...batches.flat(), ...sampled('residentMemory', 0.5, main)],
  };
  const worker = (pid: number): LaneRows => ({
    pid,
    rows: [span('idle', 0, 0, 1000), ...sampled('residentMemory', 0.5, resident), ...sampled('privateMemory', 5, own)],
  });
  const lanes = [consumer, worker(MAIN + 1), worker(MAIN + 2)];
  return memoryGrowth(feed(new MachineFold(), lanes).result(), feed(new BatchFold(), lanes).result());
}

const wordsOf = (growths: readonly MemoryGrowth[], left: number): (string | undefined)[] =>
  programFindings(growths, left).flatMap(finding => {
    const { text, fix } = findingWords(finding);
    return [text, fix];
  });

test('level memory is known to be level, and no finding', () => {
  const growths = growthOf({});
  expect(growths).toMatchObject([
    { where: 'main', loader: 'train', processes: 1, perSecond: undefined },
    { where: 'workers', loader: 'train', processes: 2, perSecond: undefined },
  ]);
  expect(programFindings(growths, 1e9)).toEqual([]);
});

test('what the main process keeps of each step, per 100 batches, and when the machine is full', () => {
  expect(wordsOf(growthOf({ main: seconds => 500 + seconds }), 7.2e9)).toEqual([
    'Memory of the main process grows by 50.0 MB per 100 batches (50.0 MB to 50.0 MB), 3.61 GB an hour; memory is exhausted in about 2 h 00 min',
    'Look for what each step keeps: losses with their graph (use .item() or .detach()), lists that grow, caches',
  ]);
});

test('what workers keep is that of all of them together', () => {
  const [text, fix] = wordsOf(
    growthOf({ resident: seconds => 400 + seconds, own: seconds => 50 + seconds }),
    Number.NaN,
  );
  expect(text).toMatch(/^Memory of 2 workers of train grows by \d+ MB per 100 batches .* an hour$/);
  expect(fix).toBe('Look for what the dataset keeps of each element: caches, open files, lists that grow');
});

test("forked workers' pages that are copied on write are called what they are", () => {
  const unshared = { own: (seconds: number) => 50 + seconds };
  const [text, fix] = wordsOf(growthOf(unshared), Number.NaN);
  expect(text).toMatch(/2 workers of train grows by .*: pages shared with the main process are copied/);
  expect(fix).toMatch(/^Keep what the dataset holds in arrays or tensors/);
  // A worker that was spawned shares nothing, and a stream holds no elements.
  for (const settings of [{ start_method: 'spawn' }, { start_method: 'fork', stream: true }]) {
    expect(growthOf({ ...unshared, settings })[1]?.isUnshared).toBe(false);
  }
});
