import { describe, expect, it } from 'vitest';
import { operator } from '../analysis/records.fixture.ts';
import { operatorsUpstreamFirst } from './upstream-first.ts';

describe('operators upstream first', () => {
  const idsOf = (...given: [id: string, ...inputs: string[]][]): string[] =>
    operatorsUpstreamFirst(given.map(([id, ...inputs]) => operator(id, inputs))).map(({ id }) => id);

  it('puts each behind all that it reads from', () => {
    expect(idsOf(['batch', 'left', 'right'], ['right', 'files'], ['files'], ['left', 'files'])).toEqual([
      'files',
      'left',
      'right',
      'batch',
    ]);
  });

  it('leaves the given order where nobody reads from anybody, or somebody from outside', () => {
    expect(idsOf(['b'], ['a'], ['c', 'gone'])).toEqual(['b', 'a', 'c']);
  });
});
