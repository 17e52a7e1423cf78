import { createRequire } from 'node:module';
import type { DecodedPng } from 'fast-png';
import { badImage } from './broken-file.ts';
import type { Image } from './image.ts';

type Codec = typeof import('fast-png');

/** Loaded at first use: loading takes tens of milliseconds, and most pipelines read no PNG file. */
let codec: Codec | undefined;

function loadCodec(): Codec {
  codec ??= createRequire(import.meta.url)('fast-png') as Codec;
  return codec;
}

/**
 * Decodes to RGB, whatever the file's own colours are. Transparency is dropped, not blended: a pixel keeps the colour it is
 * stored with, even where nothing of it would be seen. Of 16-bit levels the high byte is kept. Colour profiles and gamma
 * are not applied. Synchronous: its CPU time belongs to the calling thread.
 */
export function decodePng(bytes: Uint8Array): Image {
  const header = readHeader(bytes);
  const { decode } = loadCodec();
  let png: DecodedPng;
  try {
    // Nothing but the checksums tells damaged pixels from others.
    png = decode(bytes, { checkCrc: true });
  } catch (cause) {
    throw badImage('PNG', cause instanceof Error ? cause.message : String(cause), cause);
  }
  const { width, height } = header;
  // A second header would have been believed.
  if (png.width !== width || png.height !== height || png.depth !== header.depth || png.channels !== header.channels)
    throw badImage('PNG', 'it has two headers');
  return { width, height, channels: 3, data: toRgb(png, header) };
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly channels: number;
  readonly indexed: boolean;
}

/** By the header's number for a kind of colour: samples per pixel and the bits each may have (PNG, table 11.1). */
const COLOURS: Readonly<Record<number, { channels: number; depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};
const INDEXED = 3;

/** Signature, then the header chunk's length and name, which are the same in every file. */
const OPENING = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];

/** As many as a JPEG image may have. */
const MAX_PIXELS = Math.floor((2 ** 31 - 1) / 3);

/** Deflate makes at most 258 bytes from two bits. */
const MAX_INFLATION = 1032;

function readHeader(bytes: Uint8Array): Header {
  if (OPENING.some((byte, i) => bytes[i] !== byte)) throw badImage('PNG', 'it does not start as a PNG file does');
  if (bytes.length < 33) throw badImage('PNG', 'it ends before its header does');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  const depth = view.getUint8(24);
  const colour = view.getUint8(25);
  const interlaced = view.getUint8(28) !== 0;
  const kind = COLOURS[colour];
  if (kind === undefined || !kind.depths.includes(depth))
    throw badImage('PNG', `its colours are of kind ${colour} with ${depth} bits`);
  const { channels } = kind;
  if (width === 0 || height === 0 || width * height > MAX_PIXELS)
    throw badImage('PNG', `its size is ${width} x ${height}`);
  // A forged size must not make the codec set memory aside for it.
  if (height * rowBytes(width, channels * depth) > bytes.length * MAX_INFLATION)
    throw badImage('PNG', `${bytes.length} bytes cannot hold ${width} x ${height} pixels`);
  // The codec takes every interlaced sample for whole bytes.
  if (interlaced && depth < 8)
    throw badImage('PNG', `it is interlaced with ${depth} bits a pixel, which is not supported`);
  return { width, height, depth, channels, indexed: colour === INDEXED };
}

function rowBytes(width: number, bitsPerPixel: number): number {
  return Math.ceil((width * bitsPerPixel) / 8);
}

function toRgb(png: DecodedPng, { width, height, depth, channels, indexed }: Header): Uint8Array {
  const { data } = png;
  if (channels === 3 && data instanceof Uint8Array) return data;
  const pixels = width * height;
  const rgb = new Uint8Array(pixels * 3);
  if (indexed) {
    paint(rgb, unpack(data, width, height, depth), png.palette);
    return rgb;
  }
  const levels = depth < 8 ? unpack(data, width, height, depth) : data;
  // One bit stands for 0 or 255, two bits for thirds of it, four for fifteenths.
  const scale = depth < 8 ? 255 / (2 ** depth - 1) : 1;
  const shift = depth === 16 ? 8 : 0;
  const green = channels < 3 ? 0 : 1;
  const blue = channels < 3 ? 0 : 2;
  for (let from = 0, to = 0; to < rgb.length; from += channels, to += 3) {
    rgb[to] = ((levels[from] as number) * scale) >> shift;
    rgb[to + 1] = ((levels[from + green] as number) * scale) >> shift;
    rgb[to + 2] = ((levels[from + blue] as number) * scale) >> shift;
  }
  return rgb;
}

/** One byte for each sample of an image of one channel. Rows start at whole bytes. */
function unpack(packed: DecodedPng['data'], width: number, height: number, depth: number): DecodedPng['data'] {
  if (depth === 8) return packed;
  const row = rowBytes(width, depth);
  const mask = 2 ** depth - 1;
  const samples = new Uint8Array(width * height);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to++) {
      const bit = x * depth;
      samples[to] = ((packed[y * row + (bit >> 3)] as number) >> (8 - depth - (bit & 7))) & mask;
    }
  }
  return samples;
}

function paint(rgb: Uint8Array, indexes: DecodedPng['data'], palette: DecodedPng['palette'] = []): void {
  const colours = new Uint8Array(256 * 3);
  for (const [i, [red = 0, green = 0, blue = 0]] of palette.slice(0, 256).entries())
    colours.set([red, green, blue], i * 3);
  for (let from = 0, to = 0; to < rgb.length; from++, to += 3) {
    const index = indexes[from] as number;
    if (index >= palette.length) throw badImage('PNG', `it uses colour ${index} of a palette of ${palette.length}`);
    rgb[to] = colours[index * 3] as number;
    rgb[to + 1] = colours[index * 3 + 1] as number;
    rgb[to + 2] = colours[index * 3 + 2] as number;
  }
}
