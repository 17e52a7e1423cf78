import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { define } from './api/define.ts';
import type { Pipeline } from './description/pipeline.ts';
import acknowledged, { ACKNOWLEDGED } from './fixtures/acknowledged.fixture.ts';
import { collect, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';
import { from } from './sources/iterable.ts';

const folder = new ScratchFolder();
afterAll(() => folder.remove());

const inline = <T>(pipeline: Pipeline<T>) =>
  define({ url: import.meta.url }, { spec: {}, build: () => pipeline }).run({ parallelism: 0 });

const MESSAGES = 7;

describe.each([
  ['on threads', {}],
  ['inline', { parallelism: 0 as const }],
])('what has come does not wait for what has not, %s', (where, place) => {
  it.each(ACKNOWLEDGED)('with %s', async name => {
    const log = join(folder.path, `${where} ${name}`);
    writeFileSync(log, '');
    const run = acknowledged.run({ params: { name, log, messages: MESSAGES }, ...place });
    const seen: unknown[] = [];
    const reading = async (): Promise<void> => {
      for await (const message of run) {
        seen.push(message);
        appendFileSync(log, `${message}\n`);
      }
    };
    try {
      await within(reading());
    } finally {
      await run.stop();
    }
    expect(seen).toEqual(Array.from({ length: MESSAGES }, (_, message) => message));
    expect((await run.finished).warnings).toEqual([]);
  });
});

describe('a source that waits', () => {
  it('is not waited for when nobody wants more of it', async () => {
    const never = async function* () {
      yield* [1, 2];
      await new Promise(() => undefined);
    };
    expect(await within(collect(inline(from(() => never()).take(2))))).toEqual([1, 2]);
  });

  it('is ended in good order when what it waits for comes', async () => {
    const steps: string[] = [];
    const closing = async function* () {
      try {
        yield* [1, 2];
        await new Promise(resolve => setTimeout(resolve, 10));
        yield 3;
      } finally {
        await new Promise(resolve => setTimeout(resolve, 1));
        steps.push('closed');
      }
    };
    expect(await within(collect(inline(from(() => closing()).take(2))))).toEqual([1, 2]);
    expect(steps).toEqual(['closed']);
  });

  it('tells of its failure behind what it gave before', async () => {
    const failing = async function* () {
      yield* [1, 2];
      await new Promise(resolve => setTimeout(resolve, 10));
      throw new Error('the line went dead');
    };
    const seen: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const x of inline(from(() => failing()))) seen.push(x);
    };
    await expect(within(reading())).rejects.toThrow('the line went dead');
    expect(seen).toEqual([1, 2]);
  });
});

describe('a source that answers at once', () => {
  it.each([
    [
      'async',
      async function* (asked: () => void) {
        for (let x = 0; x < 20_000; x++) {
          asked();
          yield x;
        }
      },
    ],
    [
      'with a turn of the event loop for every element',
      async function* (asked: () => void) {
        for (let x = 0; x < 2_000; x++) {
          await new Promise(resolve => setImmediate(resolve));
          asked();
          yield x;
        }
      },
    ],
  ])('is read many elements at a time: %s', async (_, generate) => {
    let turns = 0;
    let given = 0;
    const run = inline(from(() => generate(() => given++)));
    const pieces: number[] = [];
    let before = 0;
    for await (const __ of run) {
      turns++;
      if (given !== before) pieces.push(given - before);
      before = given;
    }
    expect(turns).toBe(given);
    // Pieces grow to 64 where there are no threads.
    expect(Math.max(...pieces)).toBeGreaterThanOrEqual(32);
  });
});
