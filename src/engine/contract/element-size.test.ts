import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkEncoder } from '../runtime/chunk/index.ts';
import { arraysIn, objectsIn, sizeOf } from './element-size.ts';

function encodedSize(value: unknown): number {
  const encoder = new ChunkEncoder();
  const of = (count: number) => encoder.encode(Array(count).fill(value), 0, count).byteLength;
  return (of(200) - of(100)) / 100;
}

describe('the rough size of an element', () => {
  it('is near what it takes in a chunk', () => {
    const values = fc.oneof(
      fc.integer(),
      fc.double({ noInteger: true }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 500 }),
      fc.uint8Array({ maxLength: 500 }),
      fc.array(fc.integer(), { maxLength: 300 }),
      fc.record({ id: fc.nat(), name: fc.string({ unit: 'grapheme-ascii' }), score: fc.double({ noInteger: true }) }),
    );
    fc.assert(
      fc.property(values, value => {
        const size = encodedSize(value);
        expect(Math.abs(sizeOf(value) - size)).toBeLessThan(16 + size / 4);
      }),
    );
  });

  it('is known for what has no column and for what never ends', () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(sizeOf(loop)).toBeGreaterThan(0);
    expect(sizeOf(new Map([['key', 'x'.repeat(1000)]]))).toBeGreaterThan(1000);
    expect(sizeOf(new Set())).toBeGreaterThan(0);
    expect(sizeOf({})).toBeGreaterThanOrEqual(0);
  });
});

it('typed arrays that V8 gives memory of their own are counted, in lists from a few items', () => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  const pair = { source: new Int32Array(30), target: Buffer.alloc(65), small: new Int32Array(16), id: 7 };
  expect([1, 'text', null, undefined, loop, [], pair, [pair, pair, pair]].map(value => arraysIn(value))).toEqual([
    0, 0, 0, 0, 0, 0, 2, 6,
  ]);
  expect(arraysIn(Array.from({ length: 1000 }, () => new Uint8Array(100)))).toBe(1000);
});

it('objects, lists and texts are counted, in lists from a few items', () => {
  const record = { id: 7, name: 'venturi', tags: ['a', 'b'], data: new Float32Array(100) };
  expect([1, 'text', null, [], record, [record, record]].map(value => objectsIn(value))).toEqual([0, 1, 0, 1, 5, 11]);
  expect(objectsIn(Array.from({ length: 1000 }, () => 'word'))).toBe(1001);
});

it('whoever encodes elements counts those arrays exactly', () => {
  const encoder = new ChunkEncoder();
  const pair = (length: number) => ({ source: new Int32Array(length), target: new Uint8Array(65), id: 7 });
  encoder.encode([pair(17), pair(16), pair(30)], 0, 3);
  expect(encoder.arrays).toBe(5);
  encoder.encode([[new Float32Array(100), new Float32Array(1)]], 0, 1);
  expect(encoder.arrays).toBe(6);
});
