import { expect, it } from 'vitest';
import { describePaths } from './describe-paths.ts';

it('keeps a few paths in full', () => {
  expect(describePaths(['a.csv', '/b?c.csv'])).toEqual({ paths: ['a.csv', '/b?c.csv'] });
});

it('keeps many by number and digest, and tells two lists apart', () => {
  const [one, other] = ['x', 'y'].map(last => describePaths([...'abcdefg', last]));
  expect(one).toMatchObject({ count: 8, first: ['a', 'b', 'c'] });
  expect(one?.digest).not.toBe(other?.digest);
});

it('keeps no secret of an address', () => {
  const [shown] = describePaths(['https://alice:s3cret@host/x.parquet?sig=token']).paths as string[];
  expect(shown).toBe('https://host/x.parquet');
});
