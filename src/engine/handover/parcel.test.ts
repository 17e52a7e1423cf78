import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gathered, packElement } from './parcel.ts';

const treeOf = (element: unknown): unknown => JSON.parse(packElement(element).tree);
const tensor = (type: string, shape: readonly number[], offset = 0) => ({ $: 'tensor', type, shape, offset });

const nested = (depth: number): unknown => {
  let at: unknown = 1;
  for (let i = 0; i < depth; i++) at = [at];
  return at;
};

describe('an element packed for another process', () => {
  it('is JSON where JSON has words for it', () => {
    const plain = { text: 'é', list: [1, 2.5, true, null], deep: { a: [] } };
    expect(treeOf(plain)).toEqual(plain);
    expect(treeOf(undefined)).toBeNull();
  });

  it('says what JSON has no words for', () => {
    expect(treeOf([Number.NaN, Number.NEGATIVE_INFINITY, -0, 2n ** 70n, new Date(5), new Set([1])])).toEqual([
      { $: 'float', text: 'NaN' },
      { $: 'float', text: '-Infinity' },
      { $: 'float', text: '-0' },
      { $: 'int', text: '0x400000000000000000' },
      { $: 'date', ms: 5 },
      { $: 'set', items: [1] },
    ]);
    expect(treeOf(new Map([['a', 1n]]))).toEqual({ $: 'map', items: [['a', { $: 'int', text: '1' }]] });
    expect(treeOf({ $: 'tensor' })).toEqual({ $: 'map', items: [['$', 'tensor']] });
  });

  it('has a tensor for every typed array, with its type', () => {
    expect(treeOf(new Float32Array(3))).toEqual(tensor('f4', [3]));
    expect(treeOf(new BigInt64Array(1))).toEqual(tensor('i8', [1]));
    expect(treeOf(Buffer.from('ab'))).toEqual(tensor('u1', [2]));
    expect(treeOf({ a: new Int16Array(40), b: new Uint8ClampedArray(1) })).toEqual({
      a: tensor('i2', [40]),
      b: tensor('u1', [1], 128),
    });
  });

  it('gives tensors the shape that is said of them, and that of padded batches and images', () => {
    expect(treeOf({ data: new Float32Array(12), shape: [3, 2, 2] })).toEqual(tensor('f4', [3, 2, 2]));
    const padded = { data: new Int32Array(6), rows: 2, columns: 3, lengths: new Int32Array([3, 1]) };
    expect(treeOf(padded)).toEqual({
      data: tensor('i4', [2, 3]),
      rows: 2,
      columns: 3,
      lengths: tensor('i4', [2], 64),
    });
    const image = { width: 2, height: 3, channels: 1, data: new Uint8Array(6) };
    expect(treeOf(image)).toMatchObject({ data: tensor('u1', [3, 2, 1]) });
    expect(() => treeOf({ data: new Float32Array(12), shape: [3, 5] })).toThrow(
      expect.objectContaining({ code: 'VENTURI_BAD_RECORD' }),
    );
  });

  it('stacks equal arrays, and no others', () => {
    const rows = [new Float32Array([1, 2]), new Float32Array([3, 4]), new Float32Array([5, 6])];
    const packed = packElement(rows);
    expect(JSON.parse(packed.tree)).toEqual(tensor('f4', [3, 2]));
    expect([...new Float32Array(gathered(packed).buffer)]).toEqual([1, 2, 3, 4, 5, 6]);
    const shaped = Array.from({ length: 2 }, () => ({ data: new Uint8Array(6), shape: [2, 3] }));
    expect(treeOf(shaped)).toEqual(tensor('u1', [2, 2, 3]));
    expect(treeOf([new Float32Array(2), new Float32Array(3)])).toEqual([tensor('f4', [2]), tensor('f4', [3], 64)]);
    expect(treeOf([new Float32Array(1), new Int32Array(1)])).toEqual([tensor('f4', [1]), tensor('i4', [1], 64)]);
    expect(treeOf([new Float32Array(1), 'text'])).toEqual([tensor('f4', [1]), 'text']);
  });

  it('keeps items and keys apart that Python keeps apart', () => {
    const items = [
      1,
      '1',
      2n ** 60n,
      -(2n ** 60n),
      0.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      'NaN',
      null,
      'None',
      new Date(5),
      5,
    ];
    expect(treeOf(new Set(items))).toMatchObject({ $: 'set', items: { length: items.length } });
    expect(treeOf(new Set([new Float32Array(1), new Float32Array(1)]))).toMatchObject({ items: { length: 2 } });
  });

  it('refuses what it could not be made of again', () => {
    class Money {}
    const loop: unknown[] = [];
    loop.push(loop);
    const refused: [unknown, RegExp][] = [
      [new Money(), /an instance of Money/],
      [() => 1, /a function/],
      [loop, /refers to itself/],
      [[{ b: new Map([['c', () => 1]]) }], /^its \.a\[0\]\.b\.values\(\) is a function,/],
      [new Date(8.64e15), /a date outside/],
      [new Date(Date.UTC(0, 0, 1) - 1e15), /a date outside/],
      [nested(20_000), /nested too deeply/],
      [new Set([[1]]), /a Set of objects or arrays/],
      [new Map([[{}, 1]]), /a Map of objects or arrays/],
      [new Set([new Map()]), /a Set of objects or arrays/],
      [new Set([1, true]), /two items that are one to Python \(1\)/],
      [new Set([0, false]), /are one/],
      [new Set([1n, 1]), /are one/],
      [new Set([2n ** 60n, 2 ** 60]), /are one/],
      [
        new Map([
          [null, 1],
          [undefined, 2],
        ]),
        /are one .* \(None\)/,
      ],
      [new Set([new Date(5), new Date(5)]), /are one/],
    ];
    for (const [element, why] of refused) {
      expect(() => packElement({ a: element })).toThrow(
        expect.objectContaining({ code: 'VENTURI_NOT_CLONEABLE', message: expect.stringMatching(why) }),
      );
    }
  });

  it('keeps every byte at its place', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 }), arrays => {
        const packed = packElement(arrays.map(bytes => ({ bytes })));
        const whole = gathered(packed);
        const places = JSON.parse(packed.tree) as { bytes: { offset: number; shape: [number] } }[];
        for (const [at, { bytes: place }] of places.entries()) {
          expect(place.offset % 64).toBe(0);
          expect(whole.subarray(place.offset, place.offset + place.shape[0])).toEqual(arrays[at]);
        }
      }),
    );
  });
});
