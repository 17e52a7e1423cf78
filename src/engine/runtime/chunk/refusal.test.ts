import { Stats } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VenturiError } from '../../../model/errors.ts';
import { ChunkEncoder } from './index.ts';

class Point {
  x = 1;
}
class Pixels extends Uint8Array {}
class Tokens extends Array<number> {}
class Lookup extends Map<string, number> {}
class Moment extends Date {}
class Failure extends Error {}

function refusalOf(...values: unknown[]): string {
  try {
    new ChunkEncoder().encode(values, 0, values.length);
  } catch (error) {
    if (error instanceof VenturiError && error.code === 'VENTURI_NOT_CLONEABLE') return error.message;
    throw error;
  }
  return 'accepted';
}

describe('what would arrive as something else', () => {
  it.each<[string, unknown]>([
    ['Point', new Point()],
    ['Pixels', new Pixels(4)],
    ['Tokens', Tokens.from([1, 2])],
    ['Lookup', new Lookup([['a', 1]])],
    ['Moment', new Moment(0)],
    ['Failure', new Failure('no')],
    ['Blob', new Blob(['a'])],
    ['Headers', new Headers({ a: 'b' })],
    ['Promise', Promise.resolve(1)],
    ['WeakMap', new WeakMap()],
    ['SharedArrayBuffer', new SharedArrayBuffer(8)],
    ['AbortSignal', AbortSignal.abort()],
    ['Stats', Object.create(Stats.prototype)],
    ['Proxy', new Proxy({ a: 1 }, {})],
    ['Date', Object.create(Date.prototype)],
    ['Uint8Array', Object.create(Uint8Array.prototype)],
  ])('is refused by the name of its class: %s', (name, value) => {
    const words = new RegExp(`its .*of class ${name}\\.$`);
    expect(refusalOf(value)).toMatch(new RegExp(`it is of class ${name}\\.$`));
    expect(refusalOf({ id: 1, inside: value })).toMatch(words);
    expect(refusalOf([[value]])).toMatch(words);
    expect(refusalOf(new Map([['key', { value }]]))).toMatch(words);
    expect(refusalOf(null, { inside: 1 }, { inside: value })).toMatch(/^Element 2 /);
  });

  it('is refused where it cannot be found in another thread', () => {
    expect(refusalOf(Symbol('mine'))).toContain('it is of type symbol');
    expect(refusalOf({ [Symbol('mine')]: 1 })).toContain('is of type symbol');
    expect(refusalOf({ [Symbol('mine')]: 1 }, { a: 1 })).toContain('is of type symbol');
    expect(refusalOf({ deep: [{ call: () => 1 }] })).toContain('its .deep[0].call is of type function');
  });

  it('is refused where a getter would be read once and for all', () => {
    const hasGetter = {
      net: 1,
      get gross() {
        return this.net * 2;
      },
    };
    expect(refusalOf(hasGetter)).toContain('its .gross is read by a getter');
    expect(refusalOf({ id: 1, price: hasGetter })).toContain('its .price.gross is read by a getter');
  });
});
