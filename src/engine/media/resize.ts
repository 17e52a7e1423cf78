import type { Image } from './image.ts';
import { RESIZE_WASM } from './resize-wasm.ts';

/** The part of the standard global that is used here; the type libraries in use do not declare it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** What resize.assembly.ts exports. */
interface Resizer {
  readonly memory: { readonly buffer: ArrayBuffer };
  place(sourceWidth: number, sourceHeight: number, targetWidth: number, targetHeight: number): number;
  run(): number;
}

/** Memory of the instance is kept for the next image up to this size: it cannot shrink, so a larger one is let go. */
const KEPT_BYTES = 16 * 2 ** 20;

let compiled: object | undefined;
let resizer: Resizer | undefined;

/** Resizes with a triangle filter, widened where the image shrinks so that no detail aliases: Pillow's BILINEAR. */
export function resize(image: Image, width: number, height: number): Image {
  if (!(Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0)) {
    throw new RangeError(`an image cannot be resized to ${width} x ${height}`);
  }
  const length = image.width * image.height * 3;
  if (image.data.length !== length || length === 0) {
    throw new RangeError(`${image.data.length} bytes are no RGB image of ${image.width} x ${image.height}`);
  }
  const current = resizer ?? instantiate();
  // Kept only once this image went well.
  resizer = undefined;
  const source = current.place(image.width, image.height, width, height);
  // Growing replaces the buffer: views are made after it.
  new Uint8Array(current.memory.buffer, source, length).set(image.data);
  const target = current.run();
  const data = new Uint8Array(current.memory.buffer, target, width * height * 3).slice();
  if (current.memory.buffer.byteLength <= KEPT_BYTES) resizer = current;
  return { width, height, channels: 3, data };
}

/** Bytes of memory held for the next image. */
export function heldMemory(): number {
  return resizer?.memory.buffer.byteLength ?? 0;
}

function instantiate(): Resizer {
  compiled ??= new WebAssembly.Module(Buffer.from(RESIZE_WASM, 'base64'));
  return new WebAssembly.Instance(compiled).exports as Resizer;
}
