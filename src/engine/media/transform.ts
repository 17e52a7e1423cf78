import type { Image } from './image.ts';

/** The part of an image that starts at column `x` and row `y`. */
export function crop(image: Image, x: number, y: number, width: number, height: number): Image {
  const whole = [x, y, width, height].every(Number.isInteger);
  if (!whole || x < 0 || y < 0 || width < 1 || height < 1 || x + width > image.width || y + height > image.height) {
    throw new RangeError(
      `${width} x ${height} at ${x}, ${y} does not lie in an image of ${image.width} x ${image.height}`,
    );
  }
  const data = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * image.width + x) * 3;
    data.set(image.data.subarray(from, from + width * 3), row * width * 3);
  }
  return { width, height, channels: 3, data };
}

/** Left becomes right. */
export function flipHorizontally(image: Image): Image {
  const { width, height } = image;
  const source = image.data;
  const data = new Uint8Array(source.length);
  for (let row = 0; row < height; row++) {
    let from = row * width * 3;
    for (let to = from + (width - 1) * 3; to >= row * width * 3; to -= 3, from += 3) {
      data[to] = source[from] ?? 0;
      data[to + 1] = source[from + 1] ?? 0;
      data[to + 2] = source[from + 2] ?? 0;
    }
  }
  return { width, height, channels: 3, data };
}

type PerChannel = readonly [red: number, green: number, blue: number];

/** (level / 255 - mean) / std per channel, one plane after the other (CHW), as models are fed. */
export function normalise(image: Image, mean: PerChannel, std: PerChannel): Float32Array {
  const source = image.data;
  const plane = image.width * image.height;
  const out = new Float32Array(plane * 3);
  for (const channel of [0, 1, 2] as const) {
    const scale = 1 / (255 * std[channel]);
    const shift = -mean[channel] / std[channel];
    let from = channel;
    for (let to = channel * plane; to < (channel + 1) * plane; to++, from += 3)
      out[to] = (source[from] ?? 0) * scale + shift;
  }
  return out;
}
