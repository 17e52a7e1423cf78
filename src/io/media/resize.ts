import type { Image } from './image.ts';
import { levelsOf, type PerChannel } from './levels.ts';
import { checkLength, copyOf } from './out.ts';
import { RESIZE_WASM } from './resize-wasm.ts';
import { instantiate } from './wasm-module.ts';

/** What resize.assembly.ts exports. */
interface Resizer {
  readonly memory: { readonly buffer: ArrayBuffer };
  place(
    sourceWidth: number,
    sourceHeight: number,
    targetWidth: number,
    targetHeight: number,
    x: number,
    y: number,
    width: number,
    height: number,
    float: boolean,
  ): number;
  levelsAt(): number;
  run(mirrored: boolean, float: boolean): number;
}

export interface TensorOptions {
  /** What the whole image is resized to. */
  readonly width: number;
  readonly height: number;
  /** The part of the resized image that is wanted; all of it unless told. What lies outside costs nothing. */
  readonly crop?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Left becomes right. */
  readonly flip?: boolean;
  readonly mean: PerChannel;
  readonly std: PerChannel;
  /** Where the result goes, for example a row of a batch; new memory unless told. */
  readonly into?: Float32Array;
}

/** Memory of the instance is kept for the next image up to this size: it cannot shrink, so a larger one is let go. */
const KEPT_BYTES = 16 * 2 ** 20;

let resizer: Resizer | undefined;

/**
 * Resizes with a triangle filter, widened where the image shrinks so that no detail aliases: Pillow's BILINEAR, to the last
 * bit. Into `out` where that is given.
 */
export function resize(image: Image, width: number, height: number, out?: Uint8Array): Image {
  const whole = { x: 0, y: 0, width, height };
  checkSizes(image, width, height, whole);
  const length = width * height * 3;
  if (out !== undefined) checkLength(out, length);
  const data = resized(image, { width, height, crop: whole }, undefined, (memory, at) => {
    const made = new Uint8Array(memory, at, length);
    if (out === undefined) return copyOf(made);
    out.set(made);
    return out;
  });
  return { width, height, channels: 3, data };
}

/**
 * `normalise(flipHorizontally(crop(resize(image, …), …)), …)` in one go and without the images in between; the same floats.
 */
export function toTensor(image: Image, options: TensorOptions): Float32Array {
  const { width, height, mean, std } = options;
  const crop = options.crop ?? { x: 0, y: 0, width, height };
  checkSizes(image, width, height, crop);
  const length = crop.width * crop.height * 3;
  const into = options.into ?? new Float32Array(length);
  checkLength(into, length);
  return resized(image, { ...options, crop }, levelsOf(mean, std), (memory, at) => {
    into.set(new Float32Array(memory, at, length));
    return into;
  });
}

interface Part {
  readonly width: number;
  readonly height: number;
  readonly crop: NonNullable<TensorOptions['crop']>;
  readonly flip?: boolean;
}

function resized<T>(
  image: Image,
  { width, height, crop, flip = false }: Part,
  levels: Float32Array | undefined,
  take: (memory: ArrayBuffer, at: number) => T,
): T {
  const current = resizer ?? instantiate<Resizer>(RESIZE_WASM);
  // Kept only once this image went well.
  resizer = undefined;
  const float = levels !== undefined;
  const { memory } = current;
  const at = current.place(image.width, image.height, width, height, crop.x, crop.y, crop.width, crop.height, float);
  // Growing replaces the buffer: views are made after it.
  new Uint8Array(memory.buffer, at, image.data.length).set(image.data);
  if (levels !== undefined) new Float32Array(memory.buffer, current.levelsAt(), levels.length).set(levels);
  const result = take(memory.buffer, current.run(flip, float));
  if (memory.buffer.byteLength <= KEPT_BYTES) resizer = current;
  return result;
}

/** Bytes of memory held for the next image. */
export function heldMemory(): number {
  return resizer?.memory.buffer.byteLength ?? 0;
}

function checkSizes(image: Image, width: number, height: number, crop: Part['crop']): void {
  if (!(Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0)) {
    throw new RangeError(`an image cannot be resized to ${width} x ${height}`);
  }
  const length = image.width * image.height * 3;
  if (image.data.length !== length || length === 0) {
    throw new RangeError(`${image.data.length} bytes are no RGB image of ${image.width} x ${image.height}`);
  }
  checkInside(crop, width, height);
}

/** A part that does not lie in an image of `width` x `height` is the caller's mistake. */
export function checkInside(part: Part['crop'], width: number, height: number): void {
  const { x, y } = part;
  const whole = [x, y, part.width, part.height].every(Number.isInteger);
  if (whole && x >= 0 && y >= 0 && part.width > 0 && part.height > 0) {
    if (x + part.width <= width && y + part.height <= height) return;
  }
  throw new RangeError(`${part.width} x ${part.height} at ${x}, ${y} does not lie in an image of ${width} x ${height}`);
}
