import { describe, expect, it } from 'vitest';
import type { Image } from './image.ts';
import { decodeJpeg, encodeJpeg, jpegSize } from './jpeg.ts';
import { drawImage } from './synthetic.ts';

function gradient(width: number, height: number): Image {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      data.set([(255 * x) / width, (255 * y) / height, 128], (y * width + x) * 3);
    }
  }
  return { width, height, channels: 3, data };
}

function greatestDifference(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((worst, level, i) => Math.max(worst, Math.abs(level - (b[i] ?? 0))), 0);
}

/** Where its frame header begins, with the marker. */
const frameOf = (bytes: Uint8Array): number => bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc0);

describe('decodeJpeg', () => {
  it('gives back what was encoded, about', () => {
    const image = gradient(123, 77);
    const encoded = encodeJpeg(image, 95);
    const decoded = decodeJpeg(encoded);
    expect([decoded.width, decoded.height, decoded.channels]).toEqual([123, 77, 3]);
    expect(greatestDifference(decoded.data, image.data)).toBeLessThan(12);
    expect(encoded.byteLength).toBe(encoded.buffer.byteLength);
  });

  it('gives plain data that survives a structured clone', () => {
    const decoded = decodeJpeg(encodeJpeg(gradient(16, 8), 90));
    expect(structuredClone(decoded)).toEqual(decoded);
    expect(Object.getPrototypeOf(decoded.data)).toBe(Uint8Array.prototype);
    expect(decoded.data.buffer.byteLength).toBe(16 * 8 * 3);
  });

  it('reads from the middle of a larger buffer and from shared memory', () => {
    const encoded = encodeJpeg(gradient(40, 30), 90);
    const shared = new Uint8Array(new SharedArrayBuffer(encoded.length + 20)).subarray(7, 7 + encoded.length);
    shared.set(encoded);
    expect(decodeJpeg(shared).data).toEqual(decodeJpeg(encoded).data);
  });

  it('calls damaged bytes a bad record', () => {
    const whole = encodeJpeg(drawImage(64, 64, 1, 0), 90);
    const damaged = {
      empty: new Uint8Array(),
      text: new TextEncoder().encode('this is no picture at all'),
      'cut in its header': whole.subarray(0, 100),
      'cut in its data': whole.subarray(0, Math.floor(whole.length / 2)),
    };
    for (const [what, bytes] of Object.entries(damaged)) {
      expect(() => decodeJpeg(bytes), what).toThrow(expect.objectContaining({ code: 'VENTURI_BAD_RECORD' }));
    }
  });

  it('passes over stray bytes before a marker, as other decoders do', () => {
    const whole = encodeJpeg(drawImage(64, 64, 1, 0), 90);
    const stray = new Uint8Array([...whole.subarray(0, -2), 0, 0, 0, 0xff, 0xd9]);
    expect(decodeJpeg(stray).data).toEqual(decodeJpeg(whole).data);
  });

  it.each([
    ['12 bits', [[4, 12]], 'its samples have 12 bits, not 8'],
    ['lossless', [[1, 0xc3]], 'it is lossless'],
    ['hierarchical', [[1, 0xc5]], 'it is hierarchical'],
    ['arithmetic', [[1, 0xc9]], 'it is arithmetically coded'],
    [
      'of no height',
      [
        [5, 0],
        [6, 0],
      ],
      'its size is 64 x 0',
    ],
    ['of two components', [[9, 2]], 'it has 2 components, not 1, 3 or 4'],
    [
      'of odd sampling',
      [
        [11, 0x31],
        [14, 0x21],
      ],
      'its components are sampled 3x1 2x1 1x1, which are no multiples of each other',
    ],
    ['without samples', [[11, 0]], 'a component has no samples or too many'],
    ['without quantizers', [[12, 3]], 'its quantizers are missing'],
  ] as const)('says what a file is that it does not decode: %s', (_, changes, reason) => {
    const bytes = encodeJpeg(drawImage(64, 64, 1, 0), 90);
    const frame = frameOf(bytes);
    for (const [at, value] of changes) bytes[frame + at] = value;
    expect(() => decodeJpeg(bytes)).toThrow(
      expect.objectContaining({
        code: 'VENTURI_BAD_RECORD',
        message: `A JPEG image cannot be decoded: ${reason}.`,
      }),
    );
  });

  it('takes no memory for an image that a file cannot hold', () => {
    const bytes = encodeJpeg(drawImage(64, 64, 1, 0), 90);
    bytes.fill(0xff, frameOf(bytes) + 5, frameOf(bytes) + 9);
    const before = process.memoryUsage.rss();
    expect(() => decodeJpeg(bytes)).toThrow(/\d+ bytes cannot hold an image of 65535 x 65535/);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64e6);
  });

  it('decodes an image that its memory is not kept for, and small ones after it', () => {
    const grey = encodeJpeg({ width: 16, height: 16, channels: 3, data: new Uint8Array(16 * 16 * 3).fill(128) }, 50);
    const frame = frameOf(grey);
    // 4000 x 3000, whose 250 x 188 units are four bytes each.
    grey.set([3000 >> 8, 3000 & 255, 4000 >> 8, 4000 & 255], frame + 5);
    const large = Buffer.concat([grey.subarray(0, -6), Buffer.alloc(250 * 188 * 4, grey.subarray(-6, -2))]);
    expect(Buffer.from('28a28a00', 'hex').equals(grey.subarray(-6, -2))).toBe(true);
    expect(Buffer.alloc(36e6, 128).equals(decodeJpeg(large).data)).toBe(true);
    const small = encodeJpeg(gradient(20, 10), 90);
    expect(decodeJpeg(small)).toEqual(decodeJpeg(small));
  });
});

describe('encodeJpeg', () => {
  it('makes smaller files at lower quality', () => {
    const image = drawImage(100, 80, 1, 0);
    expect(encodeJpeg(image, 40).length).toBeLessThan(encodeJpeg(image, 90).length);
  });

  it.each([
    [gradient(4, 4), 0],
    [gradient(4, 4), 101],
    [gradient(4, 4), Number.NaN],
    [{ ...gradient(4, 4), width: 5 }, 90],
    [{ ...gradient(4, 4), width: 0, data: new Uint8Array() }, 90],
    [{ width: 70_000, height: 1, channels: 3, data: new Uint8Array(210_000) }, 90],
  ] as const)('refuses what cannot be stored', (image, quality) => {
    expect(() => encodeJpeg(image, quality)).toThrow(expect.objectContaining({ code: 'VENTURI_BAD_OPTION' }));
  });
});

describe('jpegSize', () => {
  it('reads the size, past fill bytes too', () => {
    const encoded = encodeJpeg(gradient(321, 45), 80);
    expect(jpegSize(encoded)).toEqual({ width: 321, height: 45 });
    const filled = new Uint8Array([...encoded.subarray(0, 2), 0xff, 0xff, ...encoded.subarray(2)]);
    expect(jpegSize(filled)).toEqual({ width: 321, height: 45 });
  });
});
