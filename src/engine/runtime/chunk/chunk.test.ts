import { deepStrictEqual } from 'node:assert';
import { setFlagsFromString } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceOf } from '../../fixtures/sameness.fixture.ts';
import { ChunkDecoder, ChunkEncoder, countOf, type Identity } from './index.ts';

/** Sends values the way a ring does: copied into shared memory, or made there as far as they fit, decoded, and the memory overwritten. */
function sent(values: readonly unknown[], from = 0, to = values.length, identity?: Identity, offset = 64) {
  const place = values.length % 2 === 0 ? new Uint8Array(new SharedArrayBuffer(4096), 64).fill(0x5a) : undefined;
  const bytes = new ChunkEncoder().encode(values, from, to, identity, place);
  const isThere = place !== undefined && bytes.buffer === place.buffer;
  const shared = isThere
    ? bytes
    : new Uint8Array(new SharedArrayBuffer(offset + bytes.byteLength + 3), offset, bytes.byteLength);
  if (!isThere) shared.set(bytes);
  expect(countOf(shared)).toBe(to - from);
  const decoded = new ChunkDecoder().decode(shared);
  shared.fill(0xa5);
  return decoded;
}

function expectSame(copies: readonly unknown[], values: readonly unknown[]): void {
  expect(copies).toHaveLength(values.length);
  for (const [at, value] of values.entries()) expect(differenceOf(copies[at], value)).toBe(undefined);
}

function expectCloned(values: readonly unknown[]): void {
  expectSame(sent(values).values, values);
}

/** Records of one shape, possibly missing, with nested lists and records: what columns are made for. */
const tabular = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.integer(),
    fc.double(),
    fc.string({ unit: 'binary' }),
    fc.bigInt(),
    fc.boolean(),
    fc.constantFrom(undefined, null, -0, 2 ** 31, -(2 ** 31), '\ud800', '\udc00é', ''),
    fc.uint8Array(),
    fc.float64Array(),
    fc.array(tie('value')),
    fc.record({ id: tie('value'), 'a "key"\u2028': tie('value') }, { requiredKeys: ['id'] }),
  ),
}));

describe('a chunk', () => {
  it('clones arbitrary values', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: false,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
      maxDepth: 4,
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(anything, fc.date())), values => expectCloned(values)),
      { numRuns: 400 },
    );
  });

  it('clones columns of every kind, alike or mixed', () => {
    const columns = fc.oneof(
      fc.array(tabular.value),
      fc.array(fc.integer()),
      fc.array(fc.double(), { maxLength: 40 }),
      fc.array(fc.array(fc.integer()), { maxLength: 20 }),
      fc.array(fc.option(fc.array(fc.double({ noInteger: true })), { nil: undefined })),
      fc.array(fc.record({ id: fc.nat(), name: fc.string(), score: fc.option(fc.double()) }), { maxLength: 40 }),
      fc.array(fc.option(fc.record({ pixels: fc.int16Array(), tags: fc.array(fc.string()) }))),
      fc.array(
        fc.oneof(fc.record({ a: fc.nat() }), fc.record({ b: fc.nat() }), fc.record({ b: fc.nat(), a: fc.nat() })),
      ),
    );
    fc.assert(
      fc.property(columns, values => expectCloned(values)),
      { numRuns: 400 },
    );
  });

  it('holds any window of the values, with their identity, at any multiple of eight bytes', () => {
    const rows = fc.array(fc.record({ value: tabular.value, sequence: fc.maxSafeNat(), sub: fc.nat(2 ** 32 - 1) }));
    fc.assert(
      fc.property(
        rows,
        fc.nat(),
        fc.nat(),
        fc.nat(100),
        fc.boolean(),
        fc.boolean(),
        (all, a, b, offset, isRun, isFlat) => {
          const values = all.map(row => row.value);
          const identity = {
            sequence: all.map((row, i) => (isRun ? 7 + i : row.sequence)),
            sub: all.map(row => (isFlat ? 0 : row.sub)),
          };
          const [from = 0, to = 0] = [a % (all.length + 1), b % (all.length + 1)].sort((x, y) => x - y);
          const decoded = sent(values, from, to, identity, offset * 8);
          expectSame(decoded.values, values.slice(from, to));
          deepStrictEqual(decoded.sequence, new Float64Array(identity.sequence.slice(from, to)));
          deepStrictEqual(decoded.sub, new Uint32Array(identity.sub.slice(from, to)));
        },
      ),
    );
  });

  it('has no identity unless given one', () => {
    expect(sent([1, 2])).toMatchObject({ sequence: undefined, sub: undefined });
  });

  it('may be empty', () => {
    expect(sent([]).values).toEqual([]);
    expect(sent([1, 2, 3], 2, 2).values).toEqual([]);
  });

  it('is refused where its columns would not be aligned', () => {
    const bytes = new ChunkEncoder().encode([1], 0, 1);
    const moved = new Uint8Array(bytes.byteLength + 4);
    moved.set(bytes, 4);
    expect(() => new ChunkDecoder().decode(moved.subarray(4))).toThrow('multiple of 8');
  });

  it('leaves the encoder and the decoder fit for the next one', () => {
    const encoder = new ChunkEncoder();
    const decoder = new ChunkDecoder();
    fc.assert(
      fc.property(fc.array(tabular.value), values => {
        expectSame(decoder.decode(encoder.encode(values, 0, values.length)).values, values);
      }),
    );
  });
});

describe('bytes', () => {
  it('stay a Buffer when they were one', () => {
    const [alone, nested] = sent([Buffer.from('abc'), new Map([['key', Buffer.from('def')]])]).values as [
      Buffer,
      Map<string, Buffer>,
    ];
    expect(Buffer.isBuffer(alone) && alone.toString()).toBe('abc');
    expect(Buffer.isBuffer(nested.get('key')) && nested.get('key')?.toString()).toBe('def');
  });

  it('have memory of their own, of exactly their size', () => {
    const values = [new Uint8Array([1, 2, 3]), new Uint8Array(100).fill(4), new Set([new Float32Array([5])])];
    const [small, large, set] = sent(values).values as [Uint8Array, Uint8Array, Set<Float32Array>];
    expect([small.buffer.byteLength, large.buffer.byteLength]).toEqual([3, 100]);
    expect([...set].map(item => [item[0], item.buffer.byteLength])).toEqual([[5, 4]]);
  });

  it('of every kind of view and plain memory keep their kind', () => {
    const memory = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]).buffer;
    const views = [
      new Int8Array(memory, 3, 2),
      new Uint8ClampedArray(memory, 1),
      new Int16Array(memory, 2, 3),
      new Uint16Array(memory),
      new Int32Array(memory, 4, 1),
      new Uint32Array(memory),
      new Float32Array(memory),
      new Float64Array(memory, 8),
      new BigInt64Array(memory),
      new BigUint64Array(memory, 8, 1),
      new DataView(memory, 5, 7),
      memory,
    ];
    expectCloned(views);
    expectCloned([new Map(views.map((view, i) => [i, view]))]);
    for (const view of views) expectCloned([view, view]);
  });

  it('are views into the chunk when borrowed', () => {
    const bytes = new ChunkEncoder().encode([new Uint8Array([1]), new Uint8Array([2])], 0, 2).slice();
    const [first, second] = new ChunkDecoder().decode(bytes, true).values as [Uint8Array, Uint8Array];
    expect([first[0], second[0]]).toEqual([1, 2]);
    expect(first.buffer).toBe(bytes.buffer);
    bytes.fill(9);
    expect([first[0], second[0]]).toEqual([9, 9]);
  });
});

describe('objects and arrays', () => {
  it('may refer to themselves', () => {
    const loop: { next?: unknown; list: unknown[] } = { list: [] };
    loop.next = loop;
    loop.list.push(loop);
    const [copy] = sent([loop]).values as [typeof loop];
    expect(copy.next).toBe(copy);
    expect(copy.list[0]).toBe(copy);
  });

  it('may be nested deeper than columns go', () => {
    let deep: unknown = 'end';
    for (let i = 0; i < 50; i++) deep = { inside: [deep] };
    expectCloned([deep, deep]);
  });

  it('may share so many references that columns would explode', () => {
    let wide: unknown = 1;
    for (let i = 0; i < 7; i++) wide = Object.fromEntries(Array.from({ length: 30 }, (_, k) => [`k${k}`, wide]));
    const [copy] = sent([wide]).values as [Record<string, unknown>];
    expect(Object.keys(copy)).toHaveLength(30);
    let long: unknown = [1];
    for (let i = 0; i < 7; i++) long = Array.from({ length: 200 }, () => long);
    expect((sent([long]).values[0] as unknown[]).length).toBe(200);
  });

  it('keep what String.match adds to its array', () => {
    const [match] = sent(['key=value'.match(/(?<name>\w+)=/)]).values as [RegExpMatchArray];
    expect([match[0], match.index, match.groups?.name]).toEqual(['key=', 0, 'key']);
  });

  it('may have a key called __proto__', () => {
    const [record] = sent([JSON.parse('{"__proto__": 1, "a": 2}')]).values as [object];
    expect(Object.getOwnPropertyNames(record)).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
  });

  it('may have ever new keys', () => {
    const encoder = new ChunkEncoder();
    const decoder = new ChunkDecoder();
    for (let i = 0; i < 600; i++) {
      const values = [{ [`key ${i}`]: i }];
      deepStrictEqual(decoder.decode(encoder.encode(values, 0, 1)).values, values);
    }
  });
});

describe('what V8 sees of decoded values', () => {
  setFlagsFromString('--allow-natives-syntax');
  const isHoley = new Function('list', 'return %HasHoleyElements(list)') as (list: unknown) => boolean;
  const isSmi = new Function('list', 'return %HasSmiElements(list)') as (list: unknown) => boolean;
  const isDouble = new Function('list', 'return %HasDoubleElements(list)') as (list: unknown) => boolean;
  const haveSameMap = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (a: unknown, b: unknown) => boolean;

  it('is arrays without holes, of integers or doubles where they are', () => {
    const lists = [[1, 2], [1.5], ['a', 'b'], [true], [null], [{ a: 1 }], [1, 'a'], [new Date(0)]];
    for (const list of lists) {
      const { values } = sent([list, list]);
      expect(isHoley(values)).toBe(false);
      expect(isHoley(values[0])).toBe(false);
      expect(isHoley(sent(list).values)).toBe(false);
    }
    expect(isSmi(sent([[1, 2]]).values[0]) && isSmi(sent([1, 2]).values)).toBe(true);
    expect(isDouble(sent([[1.5]]).values[0]) && isDouble(sent([0, 1.5]).values)).toBe(true);
  });

  it('is one hidden class for records of one shape', () => {
    const [first, second] = sent([
      { id: 1, name: 'a', score: 0.5 },
      { score: 0, id: 1 },
      { id: 2, name: 'b', score: 1 },
    ]).values.filter(value => (value as { name?: string }).name !== undefined);
    expect(haveSameMap(first, second)).toBe(true);
  });

  it('is not changed in the values that were encoded', () => {
    const encoder = new ChunkEncoder();
    const ints: number[][] = [];
    for (let i = 0; i < 3000; i++) {
      ints.push([1, 2, 3]);
      for (const values of [[ints[i]], ints[i] ?? [], [[0.5]], [0.5, 1], [['a']], ['a', 'b'], [[{ a: 1 }]]]) {
        encoder.encode(values, 0, values.length);
      }
    }
    expect(ints.every(isSmi)).toBe(true);
  });
});
