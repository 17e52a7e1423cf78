import { type HuffmanCodes, isWhole } from './jpeg-huffman.ts';

/** What the frame header says of an image. */
export interface JpegFrame {
  readonly width: number;
  readonly height: number;
  readonly isProgressive: boolean;
  readonly components: readonly JpegComponent[];
}

export interface JpegComponent {
  readonly id: number;
  /** Blocks in a unit, across and down. */
  readonly horizontal: number;
  readonly vertical: number;
  /** The number of its quantizers. */
  readonly table: number;
}

/** What a scan's header says: which components it has with which tables, and which part of their coefficients. */
export interface JpegScan {
  readonly components: readonly { readonly id: number; readonly dc: number; readonly ac: number }[];
  readonly start: number;
  readonly end: number;
  readonly highBit: number;
  readonly lowBit: number;
}

/** A file that is damaged, or of a kind that is not decoded here. */
export class BadJpeg extends Error {}

const SOI = 0xd8;
const BLOCK = 64;

/** The segments of a file, one after the other, and the bytes in each. */
export class Segments {
  readonly #bytes: Uint8Array;
  #at = 2;
  #end = 2;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    if (bytes[0] !== 0xff || bytes[1] !== SOI) throw new BadJpeg('it does not start as a JPEG file does');
  }

  /** Goes to the next marker and says which; undefined: there is none. What lies between is passed over, as all decoders do. */
  next(): number | undefined {
    let marker = 0;
    for (let at = this.#end; ; at++) {
      if (at + 1 >= this.#bytes.length) return undefined;
      marker = this.#bytes[at + 1] ?? 0;
      // 0xff may be repeated before a marker, and is a byte like any other before a zero.
      if (this.#bytes[at] !== 0xff || marker === 0xff || marker === 0) continue;
      this.#at = at + 2;
      this.#end = this.#at;
      if (!isAlone(marker)) break;
      if (!isRestart(marker)) return marker;
    }
    this.#end = this.#at + 2;
    const length = this.pair();
    this.#end = this.#at + length - 2;
    if (length < 2 || this.#end > this.#bytes.length) throw new BadJpeg('a segment is longer than the file');
    return marker;
  }

  /** Where the segment ends. */
  get end(): number {
    return this.#end;
  }

  /** Looks for the next marker from here on. */
  goTo(offset: number): void {
    this.#end = offset;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  byte(): number {
    if (this.left < 1) throw new BadJpeg('a segment is too short');
    return this.#bytes[this.#at++] ?? 0;
  }

  pair(): number {
    return (this.byte() << 8) | this.byte();
  }

  take(count: number): Uint8Array {
    if (this.left < count) throw new BadJpeg('a segment is too short');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
}

const isRestart = (marker: number): boolean => marker === 1 || (marker >= 0xd0 && marker <= 0xd7);

/** Markers without a segment: restarts, the start and the end of an image. */
const isAlone = (marker: number): boolean => isRestart(marker) || marker === SOI || marker === 0xd9;

/** The quantizers in a segment by their number, 64 each in zigzag order. */
export function readQuantizers(segment: Segments, into: Map<number, readonly number[]>): void {
  while (segment.left > 0) {
    const head = segment.byte();
    const wide = head >> 4 !== 0;
    into.set(
      head & 15,
      Array.from({ length: BLOCK }, () => (wide ? segment.pair() : segment.byte())),
    );
  }
}

/** The Huffman codes in a segment by their number; those of AC coefficients from 16 on. */
export function readCodes(segment: Segments, into: Map<number, HuffmanCodes>): void {
  while (segment.left > 0) {
    const head = segment.byte();
    if ((head & ~0x13) !== 0) throw new BadJpeg(`there is no Huffman table ${head}`);
    const counts = segment.take(16);
    const values = segment.take(counts.reduce((sum, count) => sum + count, 0));
    const codes = { counts, values };
    if (!isWhole(codes)) throw new BadJpeg('a Huffman table has too many codes');
    if (head < 16 && values.some(size => size > 15)) throw new BadJpeg('a Huffman table has sizes above 15');
    into.set(head, codes);
  }
}

export function readFrame(segment: Segments, isProgressive: boolean): JpegFrame {
  const bits = segment.byte();
  if (bits !== 8) throw new BadJpeg(`its samples have ${bits} bits, not 8`);
  const height = segment.pair();
  const width = segment.pair();
  if (width === 0 || height === 0) throw new BadJpeg(`its size is ${width} x ${height}`);
  const components = Array.from({ length: segment.byte() }, () => {
    const id = segment.byte();
    const factors = segment.byte();
    return { id, horizontal: factors >> 4, vertical: factors & 15, table: segment.byte() };
  });
  return { width, height, isProgressive, components };
}

export function readScan(segment: Segments): JpegScan {
  const components = Array.from({ length: segment.byte() }, () => {
    const id = segment.byte();
    const tables = segment.byte();
    if ((tables & ~0x33) !== 0) throw new BadJpeg('a scan uses Huffman tables that cannot be');
    return { id, dc: tables >> 4, ac: tables & 15 };
  });
  const start = segment.byte();
  const end = segment.byte();
  const bits = segment.byte();
  return { components, start, end, highBit: bits >> 4, lowBit: bits & 15 };
}

/** Whether a segment begins with this word. */
export function startsWith(segment: Segments, word: string): boolean {
  return segment.left >= word.length && Buffer.from(segment.take(word.length)).toString('latin1') === word;
}
