import { expect, test } from 'vitest';
import { mostWaitedFor } from './most-waited-for.ts';
import { elementsOf, fold, type LaneRows, order, span } from './records.fixture.ts';
import { type LoaderSummary, summariseBatches } from './summary.ts';

const MS = 1e6;

/** Milliseconds. */
interface Passes {
  readonly loader: string;
  readonly passes?: number;
  readonly batches: number;
  readonly prepare: number;
  readonly consume: number;
  /** Before the first batch of each pass, and once more before that of the first. */
  readonly start?: number;
  readonly once?: number;
}

/** A process without workers that goes over one loader after the other. */
function consumer(pid: number, ...loaders: readonly Passes[]): LaneRows {
  const rows: LaneRows['rows'][number][] = [];
  let [now, number, round] = [0, 0, 0];
  for (const { loader, passes = 1, batches, prepare, consume, start = 0, once = 0 } of loaders) {
    const settings = { num_workers: 0, persistent_workers: false };
    rows.push(span(`facts:${JSON.stringify({ loader, settings })}`, 0, 0, 0));
    for (let pass = 0; pass < passes; pass++, round++) {
      for (let batch = 0; batch < batches; batch++, number++) {
        const from = now;
        now += batch > 0 ? 0 : (start + (pass === 0 ? once : 0)) * MS;
        rows.push(...order(loader, number, from, pid, number, round));
        rows.push(span('prepare', number, now, now + prepare * MS), elementsOf(8));
        now += prepare * MS;
        rows.push(
          span(`wait:${loader}`, number, from, now),
          span(`consume:${loader}`, number, now, now + consume * MS),
        );
        now += consume * MS;
      }
    }
  }
  return { pid, rows };
}

const summarise = (...lanes: readonly LaneRows[]): readonly LoaderSummary[] =>
  summariseBatches(fold(lanes).result(), 4).loaders;
const one = (passes: Omit<Passes, 'loader'>): LoaderSummary =>
  summarise(consumer(1, { loader: 'train', ...passes }))[0] as LoaderSummary;
const headline = (loaders: readonly LoaderSummary[]): string | undefined => mostWaitedFor(loaders)?.name;

test('a step of 520 ms limits a program that prepares for 64 ms, of which 11 % are at stake', () => {
  const loader = one({ batches: 40, prepare: 64, consume: 520 });
  expect(loader.verdict).toMatchObject({ bound: 'consumer', workersWanted: 1 });
  expect(loader.verdict.waitShare).toBeCloseTo(64 / 584, 3);
  expect(loader.cost.lostOfProgram).toBeCloseTo(64 / 584, 2);
  expect(one({ batches: 40, prepare: 520, consume: 64 }).verdict.bound).toBe('preparation');
});

test('a program is judged by the loader whose waiting costs it most', () => {
  const train = { loader: 'train', batches: 200, prepare: 30, consume: 70 };
  const [first, val] = summarise(consumer(1, train, { loader: 'val', batches: 40, prepare: 90, consume: 10 }));
  expect(headline([val as LoaderSummary, first as LoaderSummary])).toBe('train');
  // 24 s of passes, of which train waits 6 and val 3.6.
  expect(first?.cost.lostOfProgram).toBeCloseTo(6 / 24, 2);
  expect(val?.cost.lostOfProgram).toBeCloseTo(3.6 / 24, 2);
  expect(val?.cost.passesOfProgram).toBeCloseTo(4 / 24, 2);
  const slow = { loader: 'val', batches: 200, prepare: 90, consume: 10 };
  expect(headline(summarise(consumer(1, train, slow)))).toBe('val');
});

test('a program is not judged by a loader of four batches, however long they take', () => {
  const few = { loader: 'val', batches: 4, prepare: 9000, consume: 1 };
  expect(headline(summarise(consumer(1, few, { loader: 'train', batches: 50, prepare: 10, consume: 40 })))).toBe(
    'train',
  );
  expect(headline(summarise(consumer(1, few)))).toBe('val');
});

test('where no waiting is worth a word, a program is judged by what its time goes into', () => {
  const train = { loader: 'train', batches: 500, prepare: 1, consume: 99 };
  const loaders = summarise(consumer(1, { loader: 'val', batches: 20, prepare: 45, consume: 5 }, train));
  expect(loaders[0]?.cost.lost).toBeGreaterThan(loaders[1]?.cost.lost ?? 0);
  expect(headline(loaders)).toBe('train');
});

test('a start that comes again with every pass is a verdict of its own, one that comes once is not', () => {
  const passes = { passes: 4, batches: 10, prepare: 2, consume: 98 };
  const again = one({ ...passes, start: 2000 });
  expect(again.verdict.bound).toBe('start');
  expect(again.evidence.start).toBeCloseTo(4 * 2000 * MS, -7);
  expect(again.cost.lostOfProgram).toBeCloseTo(8.08 / 12, 1);
  expect(one({ ...passes, once: 8000 }).verdict.bound).toBe('consumer');
  expect(one({ ...passes, passes: 1, start: 8000 }).verdict.bound).toBe('consumer');
});

test('ranks are shown apart and together', () => {
  const rank = (pid: number, prepare: number): LaneRows => {
    const lane = consumer(pid, { loader: 'train', batches: 20, prepare, consume: 100 - prepare });
    const fact = span(`facts:{"process":{"pid":${pid},"rank":"${12 - pid}"}}`, 0, 0, 0);
    return { ...lane, rows: [fact, ...lane.rows] };
  };
  const [train] = summarise(
    rank(10, 60),
    rank(11, 10),
    consumer(30, { loader: 'other', batches: 9, prepare: 1, consume: 1 }),
  );
  expect(train?.batches).toBe(40);
  expect(train?.elementsPerSecond).toBeCloseTo(160);
  expect(train?.ranks).toMatchObject([
    { rank: '1', consumer: 11, batches: 20, elements: 160, step: 90 * MS, verdict: { bound: 'consumer' } },
    { rank: '2', consumer: 10, batches: 20, elements: 160, step: 40 * MS, verdict: { bound: 'preparation' } },
  ]);
  expect(train?.ranks.map(each => Math.round(each.elementsPerSecond))).toEqual([80, 80]);
  expect(train?.rankSpread).toMatchObject({ holdingUp: 10, rates: expect.closeTo(1), waiting: expect.closeTo(0.5) });
  // All of them wait for the one that waits longest.
  expect(train?.verdict).toMatchObject({ bound: 'preparation', waitShare: expect.closeTo(0.6) });
  expect(train?.cost.lost).toBeCloseTo(19 * 60 * MS, -6);
  expect(
    summarise(consumer(1, { loader: 'train', batches: 9, prepare: 1, consume: 1 }))[0]?.rankSpread,
  ).toBeUndefined();
});
