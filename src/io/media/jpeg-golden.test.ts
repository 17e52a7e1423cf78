import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeJpeg, encodeJpeg } from './jpeg.ts';

interface Golden {
  readonly cases: readonly { name: string; size: readonly [number, number]; sha256: string; file: string }[];
  readonly written: readonly { size: readonly [number, number]; quality: number; pixels: string; sha256: string }[];
}

const golden = JSON.parse(readFileSync(new URL('./golden/jpeg.json', import.meta.url), 'utf8')) as Golden;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const fileOf = (wanted: string): Uint8Array => {
  const found = golden.cases.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`there is no golden file ${wanted}`);
  return new Uint8Array(Buffer.from(found.file, 'base64'));
};

describe('decodeJpeg', () => {
  it.each(golden.cases)('gives the pixels that Pillow gives: $name', ({ size, sha256: expected, file }) => {
    const { width, height, data } = decodeJpeg(Buffer.from(file, 'base64'));
    expect([width, height]).toEqual(size);
    expect(data.length).toBe(width * height * 3);
    expect(sha256(data)).toBe(expected);
    expect(data.byteLength).toBe(data.buffer.byteLength);
  });

  it('gives them whatever was decoded before', () => {
    const files = golden.cases.map(({ file }) => Buffer.from(file, 'base64'));
    const alone = files.map(file => decodeJpeg(file).data);
    const backwards = files.toReversed().map(file => decodeJpeg(file).data);
    expect(backwards.toReversed()).toEqual(alone);
  });

  it.each(['420 40x33', '420 progressive 40x33', 'YCCK', '444 progressive restarts', '1x4 in scans of their own'])(
    'never fails but with a coded error, whatever becomes of the bytes: %s',
    name => {
      const whole = fileOf(name);
      const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
      fc.assert(
        fc.property(fc.array(change, { maxLength: 6 }), fc.nat(whole.length), (changes, end) => {
          const bytes = whole.slice(0, changes.length % 2 === 0 ? end : whole.length);
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
          try {
            const { width, height, data } = decodeJpeg(bytes);
            expect(data.length).toBe(width * height * 3);
          } catch (error) {
            expect(error).toEqual(expect.objectContaining({ code: 'VENTURI_BAD_RECORD' }));
          }
        }),
        { numRuns: 200 },
      );
    },
  );

  it.each(['420 40x33', '420 progressive 40x33', '440 in scans of their own', 'grey restarts'])(
    'never takes a file that was cut in a scan for a whole one: %s',
    name => {
      const whole = fileOf(name);
      const scan = whole.findLastIndex((byte, i) => byte === 0xff && whole[i + 1] === 0xda) + 14;
      for (let end = scan; end < whole.length - 4; end += 7) {
        expect(() => decodeJpeg(whole.subarray(0, end)), String(end)).toThrow(
          expect.objectContaining({ code: 'VENTURI_BAD_RECORD' }),
        );
      }
    },
  );

  it('refuses a file with more scans than any real one: each takes its time, however short it is', () => {
    const whole = fileOf('420 progressive 40x33');
    const [first = 0, second = 0] = [...whole.keys()].filter(i => whole[i] === 0xff && whole[i + 1] === 0xda);
    const scan = whole.subarray(
      first,
      whole.findIndex((byte, i) => i > first && byte === 0xff && whole[i + 1] === 0xc4),
    );
    expect(second).toBeGreaterThan(first + scan.length);
    const repeated = (times: number): Uint8Array =>
      Buffer.concat([whole.subarray(0, first), ...Array.from({ length: times }, () => scan), whole.subarray(first)]);
    expect(decodeJpeg(repeated(400)).data).toEqual(decodeJpeg(whole).data);
    expect(() => decodeJpeg(repeated(500))).toThrow(/it has more than 500 scans/);
  });
});

describe('encodeJpeg', () => {
  it.each(golden.written)('writes what Pillow writes: $size at $quality', ({ size, quality, pixels, sha256: file }) => {
    const [width, height] = size;
    const data = new Uint8Array(Buffer.from(pixels, 'base64'));
    expect(sha256(encodeJpeg({ width, height, channels: 3, data }, quality))).toBe(file);
  });
});
