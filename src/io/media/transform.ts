import type { Image } from './image.ts';
import { levelsOf, type PerChannel } from './levels.ts';
import { bytesFor, checkOut } from './out.ts';
import { checkInside } from './resize.ts';

/** The part of an image that starts at column `x` and row `y`, in `out` where that is given. */
export function crop(image: Image, x: number, y: number, width: number, height: number, out?: Uint8Array): Image {
  checkInside({ x, y, width, height }, image.width, image.height);
  const data = out ?? bytesFor(width * height * 3);
  checkOut(data, width * height * 3, image.data);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * image.width + x) * 3;
    data.set(image.data.subarray(from, from + width * 3), row * width * 3);
  }
  return { width, height, channels: 3, data };
}

/** Left becomes right, in `data` where that is given. A function of one parameter for `map`, which tells those of two more. */
export function flipHorizontally(image: Image, data: Uint8Array = bytesFor(image.data.length)): Image {
  const { width, height } = image;
  const source = image.data;
  checkOut(data, source.length, source);
  for (let row = 0; row < height; row++) {
    let from = row * width * 3;
    for (let to = from + (width - 1) * 3; to >= row * width * 3; to -= 3, from += 3) {
      data[to] = source[from] as number;
      data[to + 1] = source[from + 1] as number;
      data[to + 2] = source[from + 2] as number;
    }
  }
  return { width, height, channels: 3, data };
}

/** (level / 255 - mean) / std per channel, one plane after the other (CHW), as models are fed, in `out` where that is given. */
export function normalise(
  image: Image,
  mean: PerChannel,
  std: PerChannel,
  out: Float32Array = new Float32Array(image.width * image.height * 3),
): Float32Array {
  const source = image.data;
  const plane = image.width * image.height;
  checkOut(out, plane * 3, source);
  const levels = levelsOf(mean, std);
  const [green, blue] = [plane, 2 * plane];
  // The source is read once: three planes are written beside each other.
  for (let to = 0, from = 0; to < plane; to++, from += 3) {
    out[to] = levels[source[from] as number] as number;
    out[to + green] = levels[256 + (source[from + 1] as number)] as number;
    out[to + blue] = levels[512 + (source[from + 2] as number)] as number;
  }
  return out;
}
