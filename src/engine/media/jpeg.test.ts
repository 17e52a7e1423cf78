import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
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

  it('turns a grey file into RGB', () => {
    const codec = createRequire(import.meta.url)('@julusian/jpeg-turbo') as typeof import('@julusian/jpeg-turbo');
    const levels = Buffer.from(Array.from({ length: 32 * 16 }, (_, i) => (i % 32) * 8));
    const options = { format: codec.FORMAT_GRAY, subsampling: codec.SAMP_GRAY, width: 32, height: 16, quality: 95 };
    const { data, width, height } = decodeJpeg(codec.compressSync(levels, options));
    expect([width, height, data.length]).toEqual([32, 16, 32 * 16 * 3]);
    for (let i = 0; i < data.length; i += 3) expect([data[i + 1], data[i + 2]]).toEqual([data[i], data[i]]);
    expect(
      greatestDifference(
        data.filter((_, i) => i % 3 === 0),
        levels,
      ),
    ).toBeLessThan(6);
  });

  it('calls damaged bytes a bad record', () => {
    const whole = encodeJpeg(drawImage(64, 64, 1, 0), 90);
    const giant = whole.slice();
    const frame = giant.findIndex((byte, i) => byte === 0xff && giant[i + 1] === 0xc0);
    giant.fill(0xff, frame + 5, frame + 9);
    const damaged = {
      empty: new Uint8Array(),
      text: new TextEncoder().encode('this is no picture at all'),
      'cut in its header': whole.subarray(0, 100),
      'cut in its data': whole.subarray(0, Math.floor(whole.length / 2)),
      'of 65535 x 65535': giant,
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

  it('says which package to install where it is missing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'venturi-codec-'));
    try {
      const outfile = join(folder, 'jpeg.mjs');
      const entry = fileURLToPath(new URL('./jpeg.ts', import.meta.url));
      await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile });
      const elsewhere = (await import(pathToFileURL(outfile).href)) as { decodeJpeg: typeof decodeJpeg };
      expect(() => elsewhere.decodeJpeg(new Uint8Array(10))).toThrow(
        expect.objectContaining({
          code: 'VENTURI_CODEC_MISSING',
          remedy: 'npm install @julusian/jpeg-turbo@2.3.0',
        }),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('encodeJpeg', () => {
  it('makes smaller files at lower quality', () => {
    const image = drawImage(100, 80, 1, 0);
    expect(encodeJpeg(image, 40).length).toBeLessThan(encodeJpeg(image, 90).length);
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
