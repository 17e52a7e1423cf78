import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkDecoder } from './decoder.ts';
import { ChunkEncoder } from './encoder.ts';
import { ARRAYS_OFFSET } from './layout.ts';

const LENGTH = 24;

describe('arrays that were made in their chunk', () => {
  /** Of each element: which of its arrays were made there. */
  const elements = fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 6 });

  it('arrive as all others do, beside them, and wherever the chunk has to go', () => {
    // The last is too small for what has to be written behind the arrays.
    fc.assert(
      fc.property(elements, fc.constantFrom(64 * 1024, 8 * 1024, 2048), fc.boolean(), (chosen, bytes, borrow) => {
        const memory = new Uint8Array(new SharedArrayBuffer(2 * bytes));
        const place = memory.subarray(bytes);
        let made = ARRAYS_OFFSET;
        let next = 0;
        const array = (isMade: boolean): Float32Array => {
          const own = isMade && made + LENGTH * 4 <= bytes;
          const data = own ? new Float32Array(place.buffer, place.byteOffset + made, LENGTH) : new Float32Array(LENGTH);
          if (own) made += LENGTH * 4;
          return data.fill(++next);
        };
        const values = chosen.map(([first, second, third], at) => ({
          name: `${at}`,
          first: array(first),
          pair: { second: array(second), number: at / 2 },
          mixed: third ? array(true) : at,
        }));
        const wanted = structuredClone(values.map(value => plain(value)));
        const written = new ChunkEncoder().encode(values, 0, values.length, undefined, place, made);
        expect(written.byteLength >= made).toBe(true);
        const given = new ChunkDecoder().decode(written, borrow).values;
        expect(given.map(plain)).toEqual(wanted);
      }),
      { numRuns: 200 },
    );
  });

  it('are not written again', () => {
    const place = new Uint8Array(new SharedArrayBuffer(64 * 1024));
    const data = new Float64Array(place.buffer, ARRAYS_OFFSET, 4000);
    const written = new ChunkEncoder().encode([data], 0, 1, undefined, place, ARRAYS_OFFSET + 32_000);
    expect(written.buffer).toBe(place.buffer);
    expect(written.byteLength).toBeLessThan(ARRAYS_OFFSET + 32_000 + 200);
    const [lent] = new ChunkDecoder().decode(written, true).values as Float64Array[];
    expect([lent?.buffer === place.buffer, lent?.byteOffset, lent?.length]).toEqual([true, ARRAYS_OFFSET, 4000]);
  });
});

/** With lists in the place of arrays. */
function plain(value: unknown): unknown {
  if (value instanceof Float32Array) return [...value];
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
