import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceOf } from '../../fixtures/sameness.fixture.ts';
import { travellers } from '../../fixtures/travellers.fixture.ts';
import { ChunkDecoder, ChunkEncoder } from './index.ts';

const encoder = new ChunkEncoder();
const decoder = new ChunkDecoder();

function sent(values: readonly unknown[]): unknown[] {
  const bytes = encoder.encode(values, 0, values.length);
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

describe('an element', () => {
  it('arrives as what it is, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.array(travellers, { maxLength: 6 }), values => expectSame(values)),
      { numRuns: 200 },
    );
  });

  it('arrives as what it is among others that look like it', () => {
    const alike = travellers.chain(value =>
      fc.array(fc.constantFrom(value, { a: 1, b: 2 }, [1, 2]), { maxLength: 12 }),
    );
    fc.assert(fc.property(alike, values => expectSame(values)));
  });
});
