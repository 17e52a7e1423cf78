import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RandomOperator, RunOptions } from 'venturi/engine';
import { afterAll, describe, expect, it } from 'vitest';
import random from './fixtures/random.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'random-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A watched run goes through the timed copy of the loops. */
const probe = join(folder, 'probe.mjs');
writeFileSync(
  probe,
  `export const openLaneProbe = () => ({ cpu: () => performance.now() * 1e6, end() {}, tick() {}, close: () => [] });`,
);
const WATCHED: RunOptions = { probe: { module: pathToFileURL(probe).href, options: {} } };
const INLINE: RunOptions = { parallelism: 0 };

async function drawn(
  name: string,
  options: RunOptions = {},
  params: Readonly<Record<string, number>> = {},
): Promise<readonly RandomOperator[]> {
  return (await random.run({ ...options, params: { name, ...params } }).drain()).random;
}

describe('who drew random numbers', () => {
  it.each([{}, INLINE, WATCHED])('is nobody where none were drawn (%j)', async options => {
    expect(await drawn('nothing', options, { count: 5000 })).toEqual([]);
  });

  it.each([
    ['rng', {}],
    ['rng', INLINE],
    ['rng', WATCHED],
    ['asyncRng', {}],
    ['shuffle', {}],
    ['shuffle', INLINE],
  ] as const)('is told of numbers from the engine: %s %j', async (name, options) => {
    expect(await drawn(name, options)).toEqual([{ id: 'drawing', keyedDraws: 50, ambientDraws: 0 }]);
  });

  it.each([
    ['behindBatch', 50],
    ['filter', 50],
    ['skipped', 50],
    ['generator', 100],
    ['async', 50],
    ['source', 50],
    ['setUp', 1],
    ['opening', 6],
    ['deep', 50],
    ['captured', 50],
    ['namedImport', 50],
    ['uuid', 50],
    ['defaultImport', 50],
    ['required', 50],
    ['web', 50],
    ['webUuid', 50],
    ['webCaptured', 50],
  ] as const)('is told of numbers from the runtime: %s', async (name, ambientDraws) => {
    const expected = [{ id: 'drawing', keyedDraws: 0, ambientDraws }];
    expect(await drawn(name)).toEqual(expected);
    expect(await drawn(name, { ...WATCHED, chunkElements: 7 })).toEqual(expected);
  });

  it.each(['filter', 'generator', 'source', 'async', 'behindBatch', 'namedImport'])(
    'is told on the calling thread too: %s',
    async name => {
      for (const options of [INLINE, { ...INLINE, ...WATCHED, chunkElements: 8 }]) {
        const [only, ...others] = await drawn(name, options);
        expect([only?.id, others]).toEqual(['drawing', []]);
      }
    },
  );

  it('does not miss the one element in a thousand on which a number is drawn', async () => {
    for (const parallelism of [1, 2]) {
      const operators = await drawn('rarely', {}, { count: 20_000, parallelism });
      expect(operators).toEqual([{ id: 'drawing', keyedDraws: 0, ambientDraws: 20 }]);
    }
  });

  it('adds up the threads', async () => {
    expect(await drawn('rng', {}, { count: 1000, parallelism: 2 })).toMatchObject([{ keyedDraws: 1000 }]);
    expect(await drawn('async', {}, { count: 200, parallelism: 2 })).toMatchObject([{ ambientDraws: 200 }]);
  });

  it('leaves the calling thread as it was, whether the run is consumed, left or never asked', async () => {
    const own = Math.random;
    const inline = (): ReturnType<typeof random.run> => random.run({ params: { name: 'filter' }, ...INLINE });
    await inline().drain();
    for await (const _ of inline()) break;
    inline();
    await new Promise(resolve => setTimeout(resolve, 20));
    expect(Math.random).toBe(own);
  });

  it('is known while the run goes on', async () => {
    const run = random.run({ params: { name: 'filter', count: 100 }, ...INLINE });
    for await (const _ of run) break;
    expect(run.progress().operators.find(({ id }) => id === 'drawing')?.ambientDraws).toBeGreaterThan(0);
  });
});
