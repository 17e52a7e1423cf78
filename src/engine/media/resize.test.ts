import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../math/random.ts';
import type { Image } from './image.ts';
import { heldMemory, resize } from './resize.ts';

function noise(width: number, height: number, seed: number): Image {
  const random = new Random();
  random.rekey(seed, 0, 0, 0, 0);
  return { width, height, channels: 3, data: Uint8Array.from({ length: width * height * 3 }, () => random.int(256)) };
}

function plain(width: number, height: number, level: number): Image {
  return { width, height, channels: 3, data: new Uint8Array(width * height * 3).fill(level) };
}

/** One axis of the definition: each target position is the triangle-weighted mean of its window. */
function windows(source: number, target: number): { first: number; weights: number[] }[] {
  const scale = source / target;
  const reach = Math.max(scale, 1);
  return Array.from({ length: target }, (_, at) => {
    const centre = (at + 0.5) * scale;
    const first = Math.max(0, Math.trunc(centre - reach + 0.5));
    const last = Math.min(source, Math.trunc(centre + reach + 0.5));
    const raw = Array.from({ length: last - first }, (_, i) =>
      Math.max(0, 1 - Math.abs((first + i + 0.5 - centre) / reach)),
    );
    const total = raw.reduce((a, b) => a + b);
    return { first, weights: raw.map(weight => weight / total) };
  });
}

function reference(image: Image, width: number, height: number): Float64Array {
  const out = new Float64Array(width * height * 3);
  const columns = windows(image.width, width);
  windows(image.height, height).forEach((row, y) => {
    columns.forEach((column, x) => {
      row.weights.forEach((down, j) => {
        column.weights.forEach((across, i) => {
          const from = ((row.first + j) * image.width + column.first + i) * 3;
          const to = (y * width + x) * 3;
          for (let c = 0; c < 3; c++) out[to + c] = (out[to + c] ?? 0) + down * across * (image.data[from + c] ?? 0);
        });
      });
    });
  });
  return out;
}

function greatestDifference(actual: Uint8Array, expected: Float64Array): number {
  expect(actual.length).toBe(expected.length);
  return actual.reduce((worst, level, i) => Math.max(worst, Math.abs(level - (expected[i] ?? Number.NaN))), 0);
}

const side = fc.integer({ min: 1, max: 70 });

describe('resize', () => {
  it('has room for windows whose ends both fall on weight 0', () => {
    const image = noise(1, 3, 0);
    expect(greatestDifference(resize(image, 1, 47).data, reference(image, 1, 47))).toBeLessThan(0.75);
    expect(
      greatestDifference(
        resize({ ...image, width: 3, height: 1 }, 47, 1).data,
        reference({ ...image, width: 3, height: 1 }, 47, 1),
      ),
    ).toBeLessThan(0.75);
  });

  it('is the triangle-filtered image, rounded, for any sizes', () => {
    fc.assert(
      fc.property(side, side, side, side, fc.nat(), (fromWidth, fromHeight, toWidth, toHeight, seed) => {
        const image = noise(fromWidth, fromHeight, seed);
        const small = resize(image, toWidth, toHeight);
        expect([small.width, small.height, small.channels]).toEqual([toWidth, toHeight, 3]);
        expect(greatestDifference(small.data, reference(image, toWidth, toHeight))).toBeLessThan(0.75);
      }),
      { numRuns: 150 },
    );
  });

  it('is that for a photograph-sized image and for great reductions', () => {
    const image = noise(500, 375, 1);
    expect(greatestDifference(resize(image, 224, 224).data, reference(image, 224, 224))).toBeLessThan(0.75);
    expect(greatestDifference(resize(image, 3, 2).data, reference(image, 3, 2))).toBeLessThan(1);
    const long = noise(3000, 4, 2);
    expect(greatestDifference(resize(long, 2, 9).data, reference(long, 2, 9))).toBeLessThan(1);
  });

  it('keeps a plain area at its level', () => {
    for (const level of [0, 1, 127, 128, 254, 255]) {
      for (const [width, height] of [
        [224, 224],
        [7, 5],
        [640, 480],
        [300, 200],
      ] as const) {
        const { data } = resize(plain(300, 200, level), width, height);
        expect(data.every(value => value === level)).toBe(true);
      }
    }
  });

  it('keeps an image of the wanted size as it is, in memory of its own', () => {
    const image = noise(31, 17, 3);
    const same = resize(image, 31, 17);
    expect(same.data).toEqual(image.data);
    expect(same.data.buffer).not.toBe(image.data.buffer);
    expect(same.data.byteLength).toBe(same.data.buffer.byteLength);
  });

  it('does not let images of many sizes pile up in its memory', () => {
    // A giant is not kept, and the next image is resized as ever.
    resize(plain(3000, 2500, 9), 10, 10);
    expect(heldMemory()).toBe(0);
    expect(resize(plain(40, 40, 77), 10, 10).data.every(level => level === 77)).toBe(true);
    for (let i = 0; i < 40; i++) resize(plain(60 + i * 5, 400 - i * 5, i), 50 + i, 90 - i);
    // The largest of them takes about 200 KB.
    expect(heldMemory()).toBeGreaterThan(0);
    expect(heldMemory()).toBeLessThan(400_000);
  });

  it('refuses sizes that are none and data that is no image', () => {
    const image = plain(4, 4, 1);
    for (const bad of [0, -1, 1.5, Number.NaN]) expect(() => resize(image, bad, 4)).toThrow(RangeError);
    expect(() => resize({ ...image, width: 5 }, 2, 2)).toThrow(RangeError);
    expect(() => resize({ width: 0, height: 0, channels: 3, data: new Uint8Array() }, 2, 2)).toThrow(RangeError);
  });

  it('is compiled from the assembly source beside it', () => {
    const tool = fileURLToPath(new URL('../../../tools/wasm.mjs', import.meta.url));
    execFileSync(process.execPath, [tool, '--check'], { stdio: 'pipe' });
  });
});
