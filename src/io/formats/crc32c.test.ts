import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c, maskedCrc32c } from './crc32c.ts';

/** Bit by bit, from the definition. */
function slowly(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) * 0x82f63b78);
  }
  return ~crc >>> 0;
}

describe('crc32c', () => {
  it('gives the published values', () => {
    const hex = (bytes: Iterable<number>) => crc32c(Uint8Array.from(bytes)).toString(16);
    expect(hex(Buffer.from('123456789'))).toBe('e3069283');
    // RFC 3720, B.4.
    expect(hex(new Uint8Array(32))).toBe('8a9136aa');
    expect(hex(new Uint8Array(32).fill(0xff))).toBe('62a8ab43');
    expect(hex(Array.from({ length: 32 }, (_, i) => i))).toBe('46dd794e');
    expect(hex(Array.from({ length: 32 }, (_, i) => 31 - i))).toBe('113fdb5c');
    expect(hex([])).toBe('0');
  });

  it('agrees with the definition for any stretch of any memory', () => {
    const memory = Uint8Array.from({ length: 3000 }, (_, i) => (i * 2654435761) >>> 11);
    fc.assert(
      fc.property(fc.nat(1500), fc.nat(1500), (from, length) => {
        const expected = slowly(memory.subarray(from, from + length));
        expect(crc32c(memory, from, from + length)).toBe(expected);
        expect(crc32c(memory.subarray(from, from + length))).toBe(expected);
      }),
    );
  });

  it('is masked as TFRecord has it', () => {
    const crc = 0xe3069283;
    const turned = BigInt.asUintN(32, (BigInt(crc) >> 15n) | (BigInt(crc) << 17n));
    expect(maskedCrc32c(Buffer.from('123456789'))).toBe(Number(BigInt.asUintN(32, turned + 0xa282ead8n)));
  });
});
