export type PerChannel = readonly [red: number, green: number, blue: number];

/**
 * What each of the 256 levels of red, green and blue becomes: (level / 255 - mean) / std. Every step is rounded to 32 bits, as
 * PyTorch does, so that the floats are the same.
 */
export function levelsOf(mean: PerChannel, std: PerChannel): Float32Array {
  const levels = new Float32Array(3 * 256);
  for (const channel of [0, 1, 2] as const) {
    const shift = Math.fround(mean[channel]);
    const scale = Math.fround(std[channel]);
    for (let level = 0; level < 256; level++) {
      levels[256 * channel + level] = Math.fround(Math.fround(level / 255) - shift) / scale;
    }
  }
  return levels;
}
