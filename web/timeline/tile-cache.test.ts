import { expect, test } from 'vitest';
import type { Tile } from '../../src/analysis/pyramid/tile.ts';
import { TileCache } from './tile-cache.ts';

const TILE: Tile = { type: 'bins', first: Uint32Array.of(0), ns: new Float64Array(), subject: new Uint32Array() };

/** A source that answers when it is told to. */
function cacheOf(tilesOf: (series: string) => Tile | undefined) {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  let arrivals = 0;
  const cache = new TileCache(
    {
      tiles: async (series, level, index) => {
        asked.push(`${series.join('+')} ${level} ${index}`);
        await new Promise<void>(resolve => answers.push(resolve));
        return series.map(tilesOf);
      },
    },
    () => arrivals++,
  );
  const answered = async (): Promise<number> => {
    for (const answer of answers.splice(0)) answer();
    await new Promise(resolve => setTimeout(resolve));
    return arrivals;
  };
  return { cache, asked, answered };
}

test('tiles of one place are asked for together, once, and told of when they are there', async () => {
  const { cache, asked, answered } = cacheOf(series => (series === 'b' ? undefined : TILE));
  expect(['a', 'b', 'a'].map(series => cache.get(series, 2, 7))).toEqual(['asked', 'asked', 'asked']);
  cache.get('a', 2, 8);
  await Promise.resolve();
  expect(asked).toEqual(['a+b 2 7', 'a 2 8']);
  expect(await answered()).toBe(2);
  expect([cache.get('a', 2, 7), cache.get('b', 2, 7)]).toEqual([TILE, undefined]);
  await Promise.resolve();
  expect(asked).toHaveLength(2);
});

test('what is only expected comes without a word, unless it was looked for meanwhile', async () => {
  const { cache, answered } = cacheOf(() => TILE);
  cache.expect('a', 1, 3);
  await Promise.resolve();
  expect(await answered()).toBe(0);
  expect(cache.get('a', 1, 3)).toBe(TILE);
  cache.expect('a', 1, 4);
  expect(cache.get('a', 1, 4)).toBe('asked');
  await Promise.resolve();
  expect(await answered()).toBe(1);
});
