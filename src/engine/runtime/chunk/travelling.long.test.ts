import fc from 'fast-check';
import { expect, it } from 'vitest';
import { differenceOf } from '../../fixtures/sameness.fixture.ts';
import { travellersOf } from '../../fixtures/travellers.fixture.ts';
import { ChunkDecoder, ChunkEncoder, readState, writeState } from './index.ts';

const travellers = travellersOf(fc);

it('elements arrive as what they are, in thousands of chunks', () => {
  const encoder = new ChunkEncoder();
  const decoder = new ChunkDecoder();
  fc.assert(
    fc.property(fc.array(travellers, { maxLength: 8 }), values => {
      const { values: copies } = decoder.decode(encoder.encode(values, 0, values.length).slice());
      for (const [at, value] of values.entries()) expect(differenceOf(copies[at], value)).toBe(undefined);
    }),
    { numRuns: 3000 },
  );
}, 600_000);

it('what operators keep arrives as what it is', () => {
  fc.assert(
    fc.property(travellers, state => {
      expect(differenceOf(readState(writeState(state)), state)).toBe(undefined);
    }),
    { numRuns: 2000 },
  );
}, 600_000);
