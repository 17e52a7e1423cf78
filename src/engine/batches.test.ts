import { readFileSync } from 'node:fs';
import type { RunOptions } from 'venturi/engine';
import { afterAll, describe, expect, it } from 'vitest';
import batches from './fixtures/batches.fixture.ts';
import { collect, failureOf, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';

const folder = new ScratchFolder();
afterAll(() => folder.remove());

const INLINE: RunOptions = { parallelism: 0 };

describe('batches that lanes make', () => {
  it.each(['numbers', 'fractions', 'padded', 'paddedWhole', 'whole'])(
    'are those of a single thread, in every pass: %s',
    async name => {
      for (const params of [
        { name, count: 23, size: 4 },
        { name, count: 24, size: 8 },
        { name, count: 3, size: 5 },
      ]) {
        const expected = await collect(batches.run({ params, epochs: 2, ...INLINE }));
        const run = batches.run({ params, epochs: 2 });
        expect(run.graph.stages.map(({ parallelism }) => parallelism)).toEqual([1, 3]);
        expect(await within(collect(run)), JSON.stringify(params)).toEqual(expected);
      }
    },
  );

  it('go on in a thread of their own where a run was saved in the midst of one', async () => {
    const params = { name: 'numbers', count: 23, size: 4 };
    const first = batches.run({ params, ...INLINE, chunkElements: 1, resumable: { everyMs: 0 } });
    const given: unknown[] = [];
    for await (const batch of first) if (given.push(batch) === 2) break;
    const resumed = batches.run({ resume: await first.save() });
    expect(resumed.graph.stages.map(({ operators }) => operators.length)).toEqual([1, 1, 1]);
    given.push(...(await within(collect(resumed))));
    expect(given).toEqual(await collect(batches.run({ params, ...INLINE })));
  });

  it('are made where the elements are: no lane is between them and the consumer', () => {
    const run = batches.run({ params: { name: 'numbers' } });
    expect(run.graph.stages.map(({ operators }) => operators.length)).toEqual([1, 2]);
    return run.stop();
  });

  it('may be larger than a slot, and than the budget', async () => {
    const params = { name: 'large', count: 23, size: 7 };
    const given = (await within(collect(batches.run({ params, memory: 2 ** 20 })))) as Uint8Array[][];
    expect(given.map(batch => batch.map(bytes => [bytes.length, bytes[0], bytes.at(-1)]))).toEqual(
      [0, 7, 14, 21].map(first =>
        Array.from({ length: Math.min(7, 23 - first) }, (_, at) => [200_000, first + at, first + at]),
      ),
    );
  });

  it('do not keep their elements from lanes while a source waits for these', async () => {
    const log = folder.write('acknowledged', '');
    const run = batches.run({ params: { name: 'acknowledged', count: 7, size: 5, log } });
    try {
      expect(await within(collect(run))).toEqual([
        [0, 1, 2, 3, 4],
        [5, 6],
      ]);
    } finally {
      await run.stop();
    }
  });

  it('fail with their lane where what it held will not come again, and say so', async () => {
    const log = folder.write('trickling', '');
    const run = batches.run({ params: { name: 'trickling', count: 7, size: 5, log } });
    const failure = await within(failureOf(collect(run)));
    expect(failure).toMatchObject({ code: 'VENTURI_WORKER_DIED', message: expect.stringContaining('part of a chunk') });
  });

  it('leave effects behind them in order', async () => {
    const log = folder.write('effects', '');
    await batches.run({ params: { name: 'effects', count: 200, size: 3, log }, chunkElements: 3 }).drain();
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines.flatMap(line => line.split(',')).map(Number)).toEqual(Array.from({ length: 200 }, (_, x) => x));
  });
});

describe('a consumer that borrows', () => {
  it.each([1, 2, undefined])('reads what it is given until it asks for more, with %s slots', async slots => {
    const params = { name: 'large', count: 23, size: 4 };
    const run = batches.run({ params, borrow: true, epochs: 2, ...(slots !== undefined && { slots }) });
    const seen: (number | undefined)[] = [];
    let shared = 0;
    for await (const batch of run) {
      for (const bytes of batch as Uint8Array[]) {
        if (bytes.buffer instanceof SharedArrayBuffer) shared++;
        // Whoever writes the next batches has time to do so.
        await new Promise(resolve => setImmediate(resolve));
        expect([bytes[0], bytes.at(-1), bytes.length]).toEqual([bytes[0], bytes[0], 200_000]);
        seen.push(bytes[0]);
      }
    }
    const once = Array.from({ length: 23 }, (_, x) => x);
    expect(seen).toEqual([...once, ...once]);
    expect(shared).toBe(46);
  });

  it('is one that asked for it: another one may keep every batch, and none changes', async () => {
    const run = batches.run({ params: { name: 'large', count: 23, size: 4 }, epochs: 2, slots: 2 });
    const kept = (await within(collect(run))) as Uint8Array[][];
    const once = Array.from({ length: 23 }, (_, x) => x);
    expect(kept.flat().map(bytes => bytes[0])).toEqual([...once, ...once]);
    expect(kept.flat().every(bytes => bytes.every(byte => byte === bytes[0]))).toBe(true);
  });

  it('stops without having given anything back', async () => {
    const run = batches.run({ params: { name: 'large', count: 100, size: 4 }, borrow: true, slots: 1 });
    for await (const _ of run) break;
    expect((await within(run.finished)).status).toBe('stopped');
  });
});
