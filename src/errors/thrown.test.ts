import { describe, expect, it } from 'vitest';
import { userFunctionFailed } from '../engine/runtime/calls/failure.ts';
import { Skips } from '../engine/runtime/calls/guard.ts';
import { kindNamed } from '../model/kind.ts';
import { describeThrown } from './thrown.ts';

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
const failed = new TypeError('fetch failed', { cause: refused });

describe('an error with causes', () => {
  it('is told with all of them', () => {
    const told = 'TypeError: fetch failed, caused by Error: connect ECONNREFUSED 127.0.0.1:1';
    expect(describeThrown(failed)).toBe(told);
    expect(describeThrown(new Error('no users', { cause: failed }))).toBe(
      'Error: no users, caused by TypeError: fetch failed, caused by Error: connect ECONNREFUSED 127.0.0.1:1',
    );
    expect(userFunctionFailed({ id: 'get', kind: kindNamed('map') }, 'get', 3, failed).message).toBe(
      `'get' threw on element 3: ${told}`,
    );
  });

  it('is told with their codes, where those are not in the message', () => {
    const cut = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
    expect(describeThrown(new TypeError('terminated', { cause: cut }))).toBe(
      'TypeError: terminated, caused by Error: other side closed (UND_ERR_SOCKET)',
    );
  });

  it('is told with those it gathers, as a cause as well', () => {
    const both = Object.assign(new AggregateError([refused, new Error('no route')]), { code: 'ECONNREFUSED' });
    expect(describeThrown(both)).toBe('AggregateError (Error: connect ECONNREFUSED 127.0.0.1:1; Error: no route)');
    expect(describeThrown(new TypeError('fetch failed', { cause: both }))).toBe(
      'TypeError: fetch failed, caused by AggregateError (ECONNREFUSED) (Error: connect ECONNREFUSED 127.0.0.1:1; Error: no route)',
    );
    expect(describeThrown(new AggregateError(['a', 'b', 'c', 'd', 'e'], 'all'))).toBe(
      'AggregateError: all (a; b; c; and 2 more)',
    );
  });

  it('does not say the same twice, nor go round in circles', () => {
    expect(describeThrown(new Error('cannot read: no such file', { cause: new Error('no such file') }))).toBe(
      'Error: cannot read: no such file',
    );
    const first = new Error('first');
    first.cause = new Error('second', { cause: first });
    expect(describeThrown(first)).toBe('Error: first, caused by Error: second');
  });

  it('is told briefly, however much there is', () => {
    let error = new Error('innermost');
    for (let depth = 0; depth < 1000; depth++) error = new Error(`${depth} ${'x'.repeat(100_000)}`, { cause: error });
    expect(describeThrown(error).length).toBeLessThan(8_000);
  });

  it('is told in the warning of what was given up', () => {
    const skips = new Skips('get', undefined);
    skips.add(1, { index: 1, epoch: 0 } as never, failed);
    expect(skips.warning).toContain('caused by Error: connect ECONNREFUSED');
  });

  it.each([
    ['text', 'no more'],
    ['null', null],
    [
      'a proxy',
      new Proxy(
        {},
        {
          get() {
            throw new Error('do not look');
          },
        },
      ),
    ],
    [
      'errors that throw',
      Object.defineProperty(new AggregateError([]), 'errors', {
        get() {
          throw new Error('do not look');
        },
      }),
    ],
  ])('may have anything as its cause: %s', (_, cause) => {
    expect(describeThrown(new Error('outer', { cause }))).toMatch(/^Error: outer/);
  });
});
