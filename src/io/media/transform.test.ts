import { describe, expect, it } from 'vitest';
import type { Image } from './image.ts';
import { resize } from './resize.ts';
import { crop, flipHorizontally, normalise } from './transform.ts';

/** Two rows of three pixels, each level telling its row, column and channel. */
const image: Image = {
  width: 3,
  height: 2,
  channels: 3,
  data: Uint8Array.of(0, 1, 2, 10, 11, 12, 20, 21, 22, 100, 101, 102, 110, 111, 112, 120, 121, 122),
};

describe('crop', () => {
  it('takes the part asked for', () => {
    expect(crop(image, 1, 0, 2, 1)).toEqual({
      width: 2,
      height: 1,
      channels: 3,
      data: Uint8Array.of(10, 11, 12, 20, 21, 22),
    });
    expect(crop(image, 2, 1, 1, 1).data).toEqual(Uint8Array.of(120, 121, 122));
    expect(crop(image, 0, 0, 3, 2)).toEqual(image);
  });

  it('refuses a part that is not inside', () => {
    for (const [x, y, width, height] of [
      [-1, 0, 1, 1],
      [0, 0, 4, 1],
      [1, 1, 1, 2],
      [0, 0, 0, 1],
      [0.5, 0, 1, 1],
    ] as const) {
      expect(() => crop(image, x, y, width, height)).toThrow(RangeError);
    }
  });
});

describe('flipHorizontally', () => {
  it('swaps left and right and keeps channels in order', () => {
    const flipped = flipHorizontally(image);
    expect([...flipped.data.subarray(0, 9)]).toEqual([20, 21, 22, 10, 11, 12, 0, 1, 2]);
    expect([...flipped.data.subarray(9)]).toEqual([120, 121, 122, 110, 111, 112, 100, 101, 102]);
    expect(flipHorizontally(flipped)).toEqual(image);
  });
});

describe('normalise', () => {
  it('scales each channel into its own plane', () => {
    const mean = [0.5, 0.25, 0] as const;
    const std = [0.5, 0.25, 2] as const;
    const planes = normalise(image, mean, std);
    expect(planes.length).toBe(18);
    expect(planes[0]).toBeCloseTo(-1, 6);
    expect(planes[5]).toBeCloseTo((120 / 255 - 0.5) / 0.5, 6);
    expect(planes[6 + 1]).toBeCloseTo((11 / 255 - 0.25) / 0.25, 6);
    expect(planes[12 + 3]).toBeCloseTo(102 / 255 / 2, 6);
    // Each step is rounded to 32 bits.
    expect(planes[6 + 1]).toBe(Math.fround(Math.fround(Math.fround(11 / 255) - 0.25) / 0.25));
  });
});

describe('results that go into memory of the caller', () => {
  /** In the midst of other numbers, which stay what they are. */
  const place = (length: number): Uint8Array => new Uint8Array(length + 2).fill(7).subarray(1, -1);

  it('are the same, there', () => {
    for (const [length, call] of [
      [6, out => crop(image, 1, 0, 2, 1, out)],
      [18, out => flipHorizontally(image, out)],
      [30, out => resize(image, 5, 2, out)],
    ] as readonly [number, (out?: Uint8Array) => Image][]) {
      const out = place(length);
      expect(call(out).data).toBe(out);
      expect(call(out)).toEqual(call());
      expect([new Uint8Array(out.buffer).at(0), new Uint8Array(out.buffer).at(-1)]).toEqual([7, 7]);
      expect(() => call(place(length - 1))).toThrow(RangeError);
    }
    const floats = new Float32Array(20).fill(7).subarray(1, -1);
    expect(normalise(image, [0, 0, 0], [1, 1, 1], floats)).toBe(floats);
    expect(floats).toEqual(normalise(image, [0, 0, 0], [1, 1, 1]));
    expect(() => normalise(image, [0, 0, 0], [1, 1, 1], new Float32Array(17))).toThrow(RangeError);
  });

  it('do not write over what they are made of', () => {
    const memory = new Uint8Array(40);
    const own: Image = { ...image, data: memory.subarray(0, 18) };
    expect(() => flipHorizontally(own, own.data)).toThrow(RangeError);
    expect(() => crop(own, 1, 0, 2, 1, memory.subarray(3, 9))).toThrow(RangeError);
    expect(() => crop(own, 1, 0, 2, 1, memory.subarray(18, 24))).not.toThrow();
  });

  it('are not taken for what `map` tells a function of two parameters', () => {
    expect(flipHorizontally.length).toBe(1);
  });
});
