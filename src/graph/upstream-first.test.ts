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

  it('takes chains of any length, and circles as they come', () => {
    const chain = Array.from({ length: 1e5 }, (_, at) => operator(`${at}`, at === 99_999 ? [] : [`${at + 1}`]));
    expect(operatorsUpstreamFirst(chain)[0]?.id).toBe('99999');
    expect(idsOf(['a', 'b'], ['b', 'a'])).toEqual(['b', 'a']);
  });
});
