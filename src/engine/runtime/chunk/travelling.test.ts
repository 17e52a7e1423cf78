import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceOf } from '../../fixtures/sameness.fixture.ts';
import { travellersOf } from '../../fixtures/travellers.fixture.ts';
import { ChunkDecoder, ChunkEncoder } from './index.ts';

const travellers = travellersOf(fc);

const decoder = new ChunkDecoder();

function sent(values: readonly unknown[]): unknown[] {
  const bytes = new ChunkEncoder().encode(values, 0, values.length);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  shared.set(bytes);
  const { values: copies } = decoder.decode(shared);
  shared.fill(0xa5);
  return copies;
}

function expectSame(values: readonly unknown[]): void {
  const copies = sent(values);
  expect(copies).toHaveLength(values.length);
  for (const [at, value] of values.entries()) expect(differenceOf(copies[at], value)).toBe(undefined);
}

it('once something was found that is seldom there, every value is searched for it', () => {
  const encoder = new ChunkEncoder();
  const tagged = [1, 2, 3].map(x => ({ a: x, [Symbol.for('tag')]: x }));
  encoder.encode(tagged, 0, 1);
  const values = Array.from({ length: 100 }, (_, x) => (x === 50 ? tagged[1] : { a: x }));
  const copies = decoder.decode(encoder.encode(values, 0, values.length).slice()).values;
  expect(differenceOf(copies, values)).toBe(undefined);
});

describe('an element', () => {
  it('arrives as what it is, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.array(travellers, { maxLength: 6 }), values => expectSame(values)),
      { numRuns: 200 },
    );
  });

  it('arrives as what it is among others that look like it', () => {
    const alike = travellers.chain(value => fc.array(fc.constantFrom(value, { a: 1, b: 2 }, [1, 2]), { maxLength: 8 }));
    fc.assert(fc.property(alike, values => expectSame(values)));
  });
});
