import type { Image } from './image.ts';
import { JpegBitWriter } from './jpeg-bit-writer.ts';
import { forwardTransform } from './jpeg-forward.ts';
import { type HuffmanCodes, TYPICAL_CODES } from './jpeg-huffman.ts';
import { type Plane, planesOf } from './jpeg-planes.ts';

/** ITU-T T.81, K.1, in zigzag order: what quality 50 divides coefficients by. */
const LUMA_QUANTIZERS = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61,
  60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103, 62, 77, 113, 121,
  112, 100, 120, 92, 101, 103, 99,
];
const CHROMA_QUANTIZERS = [17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66, ...new Array<number>(50).fill(99)];

const ZIGZAG = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
];

/** Sixteen zeros; the end of a block. */
const ZEROS = 0xf0;
const END = 0;

/** A baseline file with colours at half resolution: byte for byte what libjpeg writes of the same pixels at this quality. */
export function encode(image: Image, quality: number): Uint8Array {
  const { width, height } = image;
  const scale = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  const scaled = (value: number): number => Math.min(255, Math.max(1, Math.floor((value * scale + 50) / 100)));
  const [ofLuma, ofChroma] = [LUMA_QUANTIZERS.map(scaled), CHROMA_QUANTIZERS.map(scaled)];
  const out = new JpegBitWriter(image.data.length >> 2);
  out.bytes(headers(image, ofLuma, ofChroma));
  const planes = planesOf(image);
  const luma = new Channel(planes.luma, ofLuma, TYPICAL_CODES.lumaDc, TYPICAL_CODES.lumaAc);
  const blue = new Channel(planes.blue, ofChroma, TYPICAL_CODES.chromaDc, TYPICAL_CODES.chromaAc);
  const red = new Channel(planes.red, ofChroma, TYPICAL_CODES.chromaDc, TYPICAL_CODES.chromaAc);
  for (let y = 0; y < height; y += 16) {
    for (let x = 0; x < width; x += 16) {
      for (const quarter of [0, 1, 2, 3]) {
        const [left, top] = [x + 8 * (quarter & 1), y + 8 * (quarter >> 1)];
        if (left < width && top < height) luma.write(left, top, out);
        else luma.writeMean(out);
      }
      blue.write(x >> 1, y >> 1, out);
      red.write(x >> 1, y >> 1, out);
    }
  }
  out.fill();
  out.bytes([0xff, 0xd9]);
  return out.taken();
}

/** One component, and how its blocks are stored. */
class Channel {
  readonly #plane: Plane;
  readonly #quantizers: readonly number[];
  readonly #dc: Codes;
  readonly #ac: Codes;
  readonly #block = new Int32Array(64);
  /** Of the last block; the next one's is told as the difference. */
  #mean = 0;

  constructor(plane: Plane, quantizers: readonly number[], dc: HuffmanCodes, ac: HuffmanCodes) {
    this.#plane = plane;
    this.#quantizers = quantizers;
    this.#dc = codesOf(dc);
    this.#ac = codesOf(ac);
  }

  write(left: number, top: number, out: JpegBitWriter): void {
    const block = this.#block;
    this.#plane.read(left, top, block);
    forwardTransform(block);
    const mean = this.#quantized(0);
    writeValue(out, this.#dc, 0, mean - this.#mean);
    this.#mean = mean;
    let zeros = 0;
    for (let at = 1; at < 64; at++) {
      const value = this.#quantized(at);
      if (value === 0) {
        zeros++;
        continue;
      }
      for (; zeros > 15; zeros -= 16) writeSymbol(out, this.#ac, ZEROS);
      writeValue(out, this.#ac, zeros, value);
      zeros = 0;
    }
    if (zeros > 0) writeSymbol(out, this.#ac, END);
  }

  /** A block that only fills the last unit is the mean of the one before. */
  writeMean(out: JpegBitWriter): void {
    writeSymbol(out, this.#dc, 0);
    writeSymbol(out, this.#ac, END);
  }

  /** By its place in zigzag order, rounded away from 0. */
  #quantized(at: number): number {
    const value = this.#block[ZIGZAG[at] as number] as number;
    const divisor = (this.#quantizers[at] as number) * 8;
    const size = Math.trunc((Math.abs(value) + (divisor >> 1)) / divisor);
    return value < 0 ? -size : size;
  }
}

/** By symbol: its code, and how long that is. */
interface Codes {
  readonly code: Uint16Array;
  readonly length: Uint8Array;
}

function codesOf({ counts, values }: HuffmanCodes): Codes {
  const codes = { code: new Uint16Array(256), length: new Uint8Array(256) };
  let code = 0;
  let at = 0;
  for (const [index, count] of counts.entries()) {
    for (let i = 0; i < count; i++, at++, code++) {
      codes.code[values[at] ?? 0] = code;
      codes.length[values[at] ?? 0] = index + 1;
    }
    code <<= 1;
  }
  return codes;
}

function writeSymbol(out: JpegBitWriter, { code, length }: Codes, symbol: number): void {
  out.bits(code[symbol] as number, length[symbol] as number);
}

/** The zeros before a value and its size in one symbol, then its bits; of one below 0, those of the number before it. */
function writeValue(out: JpegBitWriter, codes: Codes, zeros: number, value: number): void {
  const size = 32 - Math.clz32(Math.abs(value));
  writeSymbol(out, codes, (zeros << 4) | size);
  out.bits(value < 0 ? value - 1 : value, size);
}

function headers({ width, height }: Image, luma: readonly number[], chroma: readonly number[]): number[] {
  const pair = (value: number): number[] => [value >> 8, value & 255];
  const segment = (marker: number, ...bytes: number[]): number[] => [0xff, marker, ...pair(bytes.length + 2), ...bytes];
  const codes = (head: number, { counts, values }: HuffmanCodes): number[] => segment(0xc4, head, ...counts, ...values);
  return [
    ...[0xff, 0xd8],
    ...segment(0xe0, ...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0),
    ...segment(0xdb, 0, ...luma),
    ...segment(0xdb, 1, ...chroma),
    ...segment(0xc0, 8, ...pair(height), ...pair(width), 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1),
    ...codes(0x00, TYPICAL_CODES.lumaDc),
    ...codes(0x10, TYPICAL_CODES.lumaAc),
    ...codes(0x01, TYPICAL_CODES.chromaDc),
    ...codes(0x11, TYPICAL_CODES.chromaAc),
    ...segment(0xda, 3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0),
  ];
}
