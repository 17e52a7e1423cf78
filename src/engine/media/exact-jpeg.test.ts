import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeJpegExactly, encodeJpeg } from './jpeg.ts';
import { drawImage } from './synthetic.ts';

interface Golden {
  readonly cases: readonly { name: string; size: readonly [number, number]; sha256: string; file: string }[];
  readonly refused: readonly { name: string; file: string }[];
}

const golden = JSON.parse(readFileSync(new URL('./golden/jpeg.json', import.meta.url), 'utf8')) as Golden;
const badRecord = expect.objectContaining({ code: 'VENTURI_BAD_RECORD' });

describe('decodeJpegExactly', () => {
  it.each(golden.cases)('gives the pixels that Pillow gives: $name', ({ size, sha256, file }) => {
    const { width, height, data } = decodeJpegExactly(Buffer.from(file, 'base64'));
    expect([width, height]).toEqual(size);
    expect(data.length).toBe(width * height * 3);
    expect(createHash('sha256').update(data).digest('hex')).toBe(sha256);
    expect(data.byteLength).toBe(data.buffer.byteLength);
  });

  it('gives them whatever was decoded before', () => {
    const files = golden.cases.map(({ file }) => Buffer.from(file, 'base64'));
    const alone = files.map(file => decodeJpegExactly(file).data);
    const backwards = files.toReversed().map(file => decodeJpegExactly(file).data);
    expect(backwards.toReversed()).toEqual(alone);
  });

  it.each(golden.refused)('says of a file $name that it cannot', ({ file }) => {
    expect(() => decodeJpegExactly(Buffer.from(file, 'base64'))).toThrow(badRecord);
  });

  it('says of a scan that ends early that it is damaged', () => {
    const whole = encodeJpeg(drawImage(64, 48, 1, 0), 90);
    expect(() => decodeJpegExactly(whole.subarray(0, whole.length >> 1))).toThrow(badRecord);
    expect(() => decodeJpegExactly(whole.subarray(0, 40))).toThrow(badRecord);
  });

  it('never fails in another way, whatever the bytes', () => {
    const whole = encodeJpeg(drawImage(40, 30, 1, 0), 90);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 }), changes => {
        const bytes = whole.slice();
        for (const [at, value] of changes) bytes[at] = value;
        try {
          const { width, height, data } = decodeJpegExactly(bytes);
          expect(data.length).toBe(width * height * 3);
        } catch (error) {
          expect(error).toEqual(badRecord);
        }
      }),
      { numRuns: 300 },
    );
  });
});
