import type { Image } from './image.ts';
import { type HuffmanCodes, type JpegHeaders, NotBaseline, readJpegHeaders } from './jpeg-headers.ts';
import { JPEG_WASM } from './jpeg-wasm.ts';

/** The part of the standard global that is used here; the type libraries in use do not declare it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** What jpeg.assembly.ts exports. */
interface Decoder {
  readonly memory: { readonly buffer: ArrayBuffer };
  place(width: number, height: number, components: number, h: number, v: number, scanBytes: number): number;
  quantizer(component: number, at: number, value: number): void;
  valuesAt(component: number, kind: number): number;
  codes(component: number, kind: number, length: number, count: number, first: number, before: number): void;
  run(restartInterval: number): number;
}

/** Memory of the instance is kept for the next image up to this size: it cannot shrink, so a larger one is let go. */
const KEPT_BYTES = 32 * 2 ** 20;

/** All areas together must stay well below the 4 GiB that an instance can address. */
const MOST_PIXELS = 2 ** 27;

let compiled: object | undefined;
let decoder: Decoder | undefined;
/** The Huffman codes that the decoder has tables of, by component and kind: most files of a data set have the same. */
let tabled: (HuffmanCodes | undefined)[] = [];

/**
 * Decodes a baseline JPEG to RGB, every pixel as libjpeg gives it by default. Throws `NotBaseline` with a reason where it
 * cannot.
 */
export function decodeExactly(bytes: Uint8Array): Image {
  const headers = readJpegHeaders(bytes);
  const { width, height, components, restartInterval, scan } = headers;
  if (width * height > MOST_PIXELS) throw new NotBaseline(`its size is ${width} x ${height}`);
  const [first] = components;
  const alone = components.length === 1;
  const current = decoder ?? instantiate();
  // Kept only once this image went well.
  decoder = undefined;
  const at = current.place(
    width,
    height,
    components.length,
    // A component that is alone in its scan is stored block by block, whatever its sampling.
    alone ? 1 : (first?.horizontal ?? 1),
    alone ? 1 : (first?.vertical ?? 1),
    bytes.length - scan,
  );
  if (at === 0) throw new NotBaseline('there is not enough memory for it');
  const { memory } = current;
  // Growing replaces the buffer: views are made after it.
  new Uint8Array(memory.buffer, at, bytes.length - scan).set(bytes.subarray(scan));
  hand(current, headers);
  const pixels = current.run(restartInterval);
  if (memory.buffer.byteLength <= KEPT_BYTES) decoder = current;
  if (pixels === 0) throw new NotBaseline('its scan is damaged or ends early');
  return { width, height, channels: 3, data: new Uint8Array(memory.buffer, pixels, width * height * 3).slice() };
}

function hand(current: Decoder, { components }: JpegHeaders): void {
  for (const [component, { quantizers, dc, ac }] of components.entries()) {
    for (const [at, value] of quantizers.entries()) current.quantizer(component, at, value);
    handCodes(current, component, 0, dc);
    handCodes(current, component, 1, ac);
  }
}

/** Codes of one length follow each other; the next length goes on where they end, one bit longer. */
function handCodes(current: Decoder, component: number, kind: number, { counts, values }: HuffmanCodes): void {
  const place = 2 * component + kind;
  const before = tabled[place];
  if (before !== undefined && isSame(before.counts, counts) && isSame(before.values, values)) return;
  tabled[place] = { counts: counts.slice(), values: values.slice() };
  new Uint8Array(current.memory.buffer, current.valuesAt(component, kind), values.length).set(values);
  let first = 0;
  let earlier = 0;
  for (const [at, count] of counts.entries()) {
    current.codes(component, kind, at + 1, count, first, earlier);
    first = (first + count) << 1;
    earlier += count;
  }
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function instantiate(): Decoder {
  tabled = [];
  compiled ??= new WebAssembly.Module(Buffer.from(JPEG_WASM, 'base64'));
  return new WebAssembly.Instance(compiled).exports as Decoder;
}
