import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/fixtures/depth.ts';
import { Random } from '../../math/random.ts';
import type { Image } from './image.ts';
import { heldMemory, resize, toTensor } from './resize.ts';
import { crop, flipHorizontally, normalise } from './transform.ts';

function noise(width: number, height: number, seed: number): Image {
  const random = new Random();
  random.rekey(seed, 0, 0, 0, 0);
  return { width, height, channels: 3, data: Uint8Array.from({ length: width * height * 3 }, () => random.int(256)) };
}

function plain(width: number, height: number, level: number): Image {
  return { width, height, channels: 3, data: new Uint8Array(width * height * 3).fill(level) };
}

/** One axis of the definition: each target position is the triangle-weighted mean of its window, rounded. */
function mixed(levels: readonly number[], target: number): number[] {
  const scale = levels.length / target;
  const reach = Math.max(scale, 1);
  return Array.from({ length: target }, (_, at) => {
    const centre = (at + 0.5) * scale;
    const first = Math.max(0, Math.trunc(centre - reach + 0.5));
    const last = Math.min(levels.length, Math.trunc(centre + reach + 0.5));
    const window = levels.slice(first, last);
    const weights = window.map((_, i) => Math.max(0, 1 - Math.abs((first + i + 0.5 - centre) / reach)));
    const total = weights.reduce((a, b) => a + b);
    return Math.round(window.reduce((sum, level, i) => sum + (level * (weights[i] ?? 0)) / total, 0));
  });
}

/** Along the rows first, then along the columns. */
function reference(image: Image, width: number, height: number): Float64Array {
  const out = new Float64Array(width * height * 3);
  for (let channel = 0; channel < 3; channel++) {
    const rows = Array.from({ length: image.height }, (_, y) =>
      mixed(
        Array.from({ length: image.width }, (_, x) => image.data[(y * image.width + x) * 3 + channel] ?? 0),
        width,
      ),
    );
    for (let x = 0; x < width; x++) {
      const column = mixed(
        rows.map(row => row[x] ?? 0),
        height,
      );
      for (const [y, level] of column.entries()) out[(y * width + x) * 3 + channel] = level;
    }
  }
  return out;
}

function greatestDifference(actual: Uint8Array, expected: Float64Array): number {
  expect(actual.length).toBe(expected.length);
  return actual.reduce((worst, level, i) => Math.max(worst, Math.abs(level - (expected[i] ?? Number.NaN))), 0);
}

const side = fc.integer({ min: 1, max: 70 });

interface Golden {
  readonly cases: readonly { seed: number; from: [number, number]; to: [number, number]; sha256: string }[];
}

const golden = JSON.parse(readFileSync(new URL('./golden/resize.json', import.meta.url), 'utf8')) as Golden;

/** The noise of golden/make_resize.py. */
function goldenNoise(width: number, height: number, seed: number): Image {
  let state = seed;
  const data = Uint8Array.from({ length: width * height * 3 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  return { width, height, channels: 3, data };
}

describe('resize', () => {
  it.each(golden.cases)('gives to the last bit what Pillow gives: $from to $to', ({ seed, from, to, sha256 }) => {
    const { data } = resize(goldenNoise(...from, seed), ...to);
    expect(createHash('sha256').update(data).digest('hex')).toBe(sha256);
  });

  it('has room for windows whose ends both fall on weight 0', () => {
    const image = noise(1, 3, 0);
    expect(greatestDifference(resize(image, 1, 47).data, reference(image, 1, 47))).toBeLessThanOrEqual(1);
    expect(
      greatestDifference(
        resize({ ...image, width: 3, height: 1 }, 47, 1).data,
        reference({ ...image, width: 3, height: 1 }, 47, 1),
      ),
    ).toBeLessThanOrEqual(1);
  });

  it('is the triangle-filtered image, rounded along the rows and then along the columns, for any sizes', () => {
    fc.assert(
      fc.property(side, side, side, side, fc.nat(), (fromWidth, fromHeight, toWidth, toHeight, seed) => {
        const image = noise(fromWidth, fromHeight, seed);
        const small = resize(image, toWidth, toHeight);
        expect([small.width, small.height, small.channels]).toEqual([toWidth, toHeight, 3]);
        // What lies halfway may be rounded either way, and is mixed again behind the first axis: so each is checked by itself.
        const wide = resize(image, toWidth, fromHeight);
        expect(greatestDifference(wide.data, reference(image, toWidth, fromHeight))).toBeLessThanOrEqual(1);
        expect(greatestDifference(small.data, reference(wide, toWidth, toHeight))).toBeLessThanOrEqual(1);
        expect(small.data).toEqual(resize(wide, toWidth, toHeight).data);
      }),
      { numRuns: rounds(60, 150), examples: [[12, 12, 70, 11, 828667920]] },
    );
  });

  it('is that for a photograph-sized image and for great reductions', () => {
    const image = noise(500, 375, 1);
    expect(greatestDifference(resize(image, 224, 224).data, reference(image, 224, 224))).toBeLessThanOrEqual(1);
    expect(greatestDifference(resize(image, 3, 2).data, reference(image, 3, 2))).toBeLessThanOrEqual(1);
    const long = noise(3000, 4, 2);
    expect(greatestDifference(resize(long, 2, 9).data, reference(long, 2, 9))).toBeLessThanOrEqual(1);
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

describe('toTensor', () => {
  const mean = [0.485, 0.456, 0.406] as const;
  const std = [0.229, 0.224, 0.225] as const;

  it('is resize, crop, flip and normalise in one', () => {
    fc.assert(
      fc.property(
        side,
        side,
        side,
        side,
        fc.nat(),
        fc.boolean(),
        (fromWidth, fromHeight, width, height, seed, flip) => {
          const image = noise(fromWidth, fromHeight, seed);
          const x = seed % width;
          const y = (seed >> 3) % height;
          const part = { x, y, width: width - x, height: height - y };
          const cut = crop(resize(image, width, height), x, y, part.width, part.height);
          const expected = normalise(flip ? flipHorizontally(cut) : cut, mean, std);
          expect(toTensor(image, { width, height, crop: part, flip, mean, std })).toEqual(expected);
        },
      ),
      { numRuns: rounds(60, 150) },
    );
  });

  it('takes the whole image unless told, and writes where it is told', () => {
    const image = noise(50, 40, 1);
    const whole = toTensor(image, { width: 20, height: 10, mean, std });
    expect(whole).toEqual(normalise(resize(image, 20, 10), mean, std));
    const batch = new Float32Array(3 * whole.length);
    const into = batch.subarray(whole.length, 2 * whole.length);
    expect(toTensor(image, { width: 20, height: 10, mean, std, into })).toBe(into);
    expect(into).toEqual(whole);
    expect(batch.subarray(0, whole.length).every(value => value === 0)).toBe(true);
  });

  it('refuses a part that is not inside and memory of another length', () => {
    const image = noise(8, 8, 1);
    const part = { x: 1, y: 0, width: 8, height: 8 };
    expect(() => toTensor(image, { width: 8, height: 8, crop: part, mean, std })).toThrow(RangeError);
    expect(() => toTensor(image, { width: 8, height: 8, mean, std, into: new Float32Array(5) })).toThrow(RangeError);
  });
});
