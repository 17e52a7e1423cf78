import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import lanes from './fixtures/lanes.fixture.ts';
import { collect, failureOf, logged, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';

const folder = new ScratchFolder();
afterAll(() => folder.remove());

const emptyLog = (name: string): string => folder.write(name, '');
const linesOf = (log: string): string[] => readFileSync(log, 'utf8').split('\n').slice(0, -1);

describe('perWorker', () => {
  const opened = ['open 0 of 3', 'open 1 of 3', 'open 2 of 3'];
  const closed = ['close 0', 'close 1', 'close 2'];

  it('sets up and closes once in every lane', async () => {
    const log = emptyLog('completed');
    const params = { name: 'owned', count: 300, parallelism: 3, log };
    expect(await collect(lanes.run({ params, chunkElements: 7 }))).toHaveLength(300);
    expect(linesOf(log).sort()).toEqual([...closed, ...opened]);
  });

  it('closes after a failure elsewhere', async () => {
    const log = emptyLog('failed');
    const params = { name: 'ownedThenFails', count: 300, parallelism: 3, log };
    await within(failureOf(lanes.run({ params, chunkElements: 7 }).drain()));
    const lines = linesOf(log);
    expect(lines.filter(line => line.startsWith('close')).sort()).toEqual(
      lines
        .filter(line => line.startsWith('open'))
        .map(line => `close ${line[5]}`)
        .sort(),
    );
    expect(lines).not.toEqual([]);
  });

  it('closes when the run is stopped', async () => {
    const log = emptyLog('stopped');
    const run = lanes.run({ params: { name: 'owned', count: 1e9, parallelism: 3, log } });
    for await (const _ of run) break;
    expect(linesOf(log).sort()).toEqual([...closed, ...opened]);
    expect((await run.finished).status).toBe('stopped');
  });

  it('closes inline as well', async () => {
    const log = emptyLog('inline');
    await lanes.run({ params: { name: 'owned', count: 3, parallelism: 3, log }, parallelism: 0 }).drain();
    expect(linesOf(log)).toEqual(['open 0 of 1', 'close 0']);
  });
});

describe('an async map', () => {
  it.each([
    ['inline in chunks of 40', { chunkElements: 40, parallelism: 0 as const }, 4],
    ['in one thread', { chunkElements: 40 }, 4],
    ['as set for the run', { set: { waits: { concurrency: 2 } } }, 2],
  ])('keeps the order and at most as many calls under way as allowed, %s', async (_, options, allowed) => {
    const results = await collect(lanes.run({ params: { name: 'inFlight', count: 120 }, ...options }));
    const told = results as { x: number; most: number }[];
    expect(told.map(({ x }) => x)).toEqual(Array.from({ length: 120 }, (__, x) => x));
    const most = Math.max(...told.map(result => result.most));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(allowed);
  });

  it('is called on by the other lanes while one waits for an answer', async () => {
    const params = { name: 'outrun', count: 400, parallelism: 2, concurrency: 2, log: emptyLog('outrun') };
    const run = lanes.run({ params, memory: 2 ** 29 });
    const seen: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const result of run) seen.push((result as { x: number }).x);
    };
    try {
      await within(reading());
    } finally {
      await run.stop();
    }
    expect(seen).toEqual(Array.from({ length: 400 }, (_, x) => x));
  });

  it('learns of a stop at once, by its signal', async () => {
    const log = emptyLog('signal');
    const run = lanes.run({ params: { name: 'waitsForStop', count: 10, log }, chunkElements: 1 });
    for await (const _ of run) {
      await within(logged(log, 'called 1'));
      break;
    }
    await within(run.finished);
    expect(linesOf(log)).toEqual(['called 0', 'returns 0 false', 'called 1', 'returns 1 true']);
  });

  it('may be a sink', async () => {
    const log = emptyLog('sink');
    const summary = await lanes.run({ params: { name: 'sink', count: 50, parallelism: 2, log } }).drain();
    expect(summary.elements).toBe(0);
    expect(
      linesOf(log)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 50 }, (_, x) => x));
  });
});

describe('elements of any size and number pass', () => {
  it('larger than a slot, larger than the budget', async () => {
    const run = lanes.run({ params: { name: 'large', count: 6, parallelism: 2 }, memory: 2 ** 20 });
    const results = (await collect(run)) as { bytes: Uint8Array; first: number; last: number }[];
    expect(results.map(({ bytes, first, last }) => [bytes.length, first, last, bytes[0], bytes.at(-1)])).toEqual(
      Array.from({ length: 6 }, (_, x) => [5 * 2 ** 20, x + 1, x + 1, x + 1, x + 1]),
    );
    expect(run.graph.channels.reduce((sum, { capacity }) => sum + capacity, 0)).toBeLessThanOrEqual(2 ** 20);
  });

  it.each([1, 3])('200 000 from one, in %i threads', async parallelism => {
    const run = lanes.run({ params: { name: 'manyChildren', count: 200_000, parallelism }, memory: 2 ** 20 });
    let expected = 0;
    let wrong = 0;
    for await (const element of run) if (element !== expected++) wrong++;
    expect({ expected, wrong }).toEqual({ expected: 600_000, wrong: 0 });
  });

  it.each([1, 2])('without end from one, when a take has had enough, in %i threads', async parallelism => {
    const run = lanes.run({ params: { name: 'endlessChildren', count: 50, parallelism } });
    expect(await within(collect(run))).toEqual(Array.from({ length: 50 }, (_, child) => [0, child]));
  });
});

describe('borrow', () => {
  const bytesOf = (x: number): number[] => Array.from({ length: 300 }, () => x % 251);

  it.each([1, 2])('lends byte arrays to a function, in %i threads', async parallelism => {
    const run = lanes.run({ params: { name: 'lent', count: 2_000, parallelism }, slots: 2, chunkElements: 7 });
    expect(await collect(run)).toEqual(Array.from({ length: 2_000 }, (_, x) => 300 * (x % 251)));
  });

  it('never lends what a filter passes on', async () => {
    const run = lanes.run({ params: { name: 'lentToFilter', count: 500 }, slots: 1, chunkElements: 7 });
    const kept = Array.from({ length: 500 }, (_, x) => x).filter(x => (x % 251) % 3 === 0);
    expect((await collect(run)).map(bytes => [...(bytes as Uint8Array)])).toEqual(kept.map(bytesOf));
  });

  it('never lends what a batch keeps', async () => {
    const run = lanes.run({ params: { name: 'lentToBatch', count: 100 }, slots: 1, chunkElements: 2 });
    const batches = (await collect(run)) as Uint8Array[][];
    expect(batches.flat().map(bytes => [...bytes])).toEqual(Array.from({ length: 100 }, (_, x) => bytesOf(x)));
  });
});
