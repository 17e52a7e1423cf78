import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureOf, windowOn } from '../../engine/sources/elements.fixture.ts';

const bytes = Uint8Array.from({ length: 700_000 }, (_, i) => (i * 31 + (i >> 8)) & 255);

const step = fc.record({
  what: fc.constantFrom('take', 'skip', 'reach', 'more'),
  count: fc.oneof(fc.nat(40), fc.nat(300_000)),
});

describe('ByteWindow', () => {
  it('takes, passes over and reaches the bytes that lie ahead, however they arrive', () => {
    const piece = fc.constantFrom(1000, 8191, 100_000, 1e9);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), piece, fc.boolean(), (steps, size, known) => {
        const window = windowOn(bytes, size, known);
        let at = 0;
        for (const { what, count } of steps) {
          const enough = at + count <= bytes.length;
          if (what === 'take') {
            const taken = window.take(count);
            expect(taken?.length).toBe(enough ? count : undefined);
            if (taken === undefined) return;
            expect(Buffer.compare(taken, bytes.subarray(at, at + count))).toBe(0);
            at += count;
          } else if (what === 'skip') {
            expect(window.skip(count)).toBe(enough);
            if (!enough) return;
            at += count;
          } else if (what === 'reach') {
            expect(window.reach(count)).toBe(enough);
          } else {
            window.more();
          }
          expect(window.offset).toBe(at);
          expect(window.bytes.length).toBeGreaterThan(window.end);
          expect(
            Buffer.compare(
              window.bytes.subarray(window.at, window.end),
              bytes.subarray(at, at + window.end - window.at),
            ),
          ).toBe(0);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('gives memory of its own', () => {
    const window = windowOn(bytes);
    const taken = window.take(10) as Uint8Array;
    window.bytes.fill(0);
    expect([...taken]).toEqual([...bytes.subarray(0, 10)]);
    expect(taken.buffer.byteLength).toBe(10);
  });

  it('asks for no memory for more than the file has', () => {
    expect(windowOn(bytes).take(2 ** 50)).toBeUndefined();
    expect(failureOf(() => windowOn(bytes, 1000, false).take(2 ** 50))).toMatch(
      /^VENTURI_BAD_RECORD test\.bin: 1125899906842624 bytes at byte 0 are one record/,
    );
  });
});
