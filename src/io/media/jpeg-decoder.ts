import type { Image } from './image.ts';
import { JpegFile, mostBlocks } from './jpeg-file.ts';
import type { HuffmanCodes } from './jpeg-huffman.ts';
import { BadJpeg, type JpegFrame, type JpegScan } from './jpeg-segments.ts';
import { JPEG_WASM } from './jpeg-wasm.ts';
import { copyOf } from './out.ts';
import { instantiate } from './wasm-module.ts';

/** What jpeg.assembly.ts exports. */
interface Decoder {
  readonly memory: { readonly buffer: ArrayBuffer };
  component(index: number, horizontal: number, vertical: number, across: number, down: number): void;
  place(width: number, height: number, components: number, keep: boolean, bytes: number): number;
  quantizer(component: number, at: number, value: number): void;
  valuesAt(table: number): number;
  codes(table: number, length: number, count: number, first: number, before: number): void;
  pairs(table: number): void;
  scanComponent(order: number, index: number, dc: number, ac: number): void;
  band(start: number, end: number, highBit: number, lowBit: number): void;
  scan(from: number, components: number, restartInterval: number): number;
  finish(colours: number): number;
}

/** Memory of the instance is kept for the next image up to this size: it cannot shrink, so a larger one is let go. */
const KEPT_BYTES = 32 * 2 ** 20;

/** Real files have about ten. Every one costs a scan of the image, however short it is. */
const MOST_SCANS = 500;

/** Of a DC and of an AC table. */
const DC = 0;
const AC = 0x10;

let decoder: Decoder | undefined;
/** The Huffman codes that the decoder has tables of: most files of a data set have the same. */
let tabled: (HuffmanCodes | undefined)[] = [];

/** Decodes a JPEG to RGB, every pixel as libjpeg gives it by default. Throws `BadJpeg` with a reason where it cannot. */
export function decode(bytes: Uint8Array): Image {
  const file = new JpegFile(bytes);
  const { frame } = file;
  checkLength(frame, bytes.length);
  const scan = file.nextScan();
  if (scan === undefined) throw new BadJpeg('it ends before its scan');
  const current = decoder ?? newDecoder();
  // Kept only once this image was gone through.
  decoder = undefined;
  try {
    return decodeScans(current, file, scan, bytes);
  } finally {
    if (current.memory.buffer.byteLength <= KEPT_BYTES) decoder = current;
  }
}

/** A block takes two bits at least, in the first scan of a progressive file one: a few bytes that claim a huge image get no memory. */
function checkLength(frame: JpegFrame, bytes: number): void {
  const { width, height, components } = frame;
  const { across, down } = mostBlocks(frame);
  const units = Math.ceil(width / (8 * across)) * Math.ceil(height / (8 * down));
  // Those that only fill the last units may not be there.
  const blocks = components.reduce(
    (sum, { horizontal, vertical }) =>
      sum + Math.ceil((width * horizontal) / across / 8) * Math.ceil((height * vertical) / down / 8),
    0,
  );
  if (Math.max(units, blocks) * (frame.isProgressive ? 1 : 2) > bytes * 8) {
    throw new BadJpeg(`${bytes} bytes cannot hold an image of ${width} x ${height}`);
  }
}

function decodeScans(current: Decoder, file: JpegFile, first: JpegScan, bytes: Uint8Array): Image {
  const { frame } = file;
  const { width, height, isProgressive, components } = frame;
  const begin = file.scanStart;
  lay(current, frame, bytes.subarray(begin));
  /** Components whose quantizers are known: those of its first scan hold. */
  const begun = new Set<number>();
  let scan: JpegScan | undefined = first;
  for (let scans = 1; scan !== undefined; scans++) {
    if (scans > MOST_SCANS) throw new BadJpeg(`it has more than ${MOST_SCANS} scans`);
    hand(current, file, scan, begun);
    const end = current.scan(file.scanStart - begin, scan.components.length, file.restartInterval);
    if (end === 0) throw new BadJpeg('its scan is damaged or ends early');
    // The other half of the marker stands before it.
    file.scanEnd = begin + end - 1;
    // What follows the last scan of a sequential file is no part of the image.
    if (!isProgressive && begun.size === components.length) break;
    scan = file.nextScan();
  }
  if (begun.size < components.length || (isProgressive && !file.isEnded)) {
    throw new BadJpeg('it ends before its last scan');
  }
  const pixels = current.finish(file.colours);
  const { buffer } = current.memory;
  return { width, height, channels: 3, data: copyOf(new Uint8Array(buffer, pixels, width * height * 3)) };
}

function lay(current: Decoder, frame: JpegFrame, scans: Uint8Array): void {
  const { width, height, isProgressive, components } = frame;
  const { across, down } = mostBlocks(frame);
  for (const [index, { horizontal, vertical }] of components.entries()) {
    current.component(index, horizontal, vertical, across / horizontal, down / vertical);
  }
  const at = current.place(width, height, components.length, isProgressive, scans.length);
  if (at === 0) throw new BadJpeg(`there is not enough memory for ${width} x ${height}`);
  // Growing replaces the buffer: views are made after it.
  new Uint8Array(current.memory.buffer, at, scans.length).set(scans);
}

function hand(current: Decoder, file: JpegFile, scan: JpegScan, begun: Set<number>): void {
  const { components, isProgressive } = file.frame;
  const { start, end, highBit, lowBit } = scan;
  for (const [order, { id, dc, ac }] of scan.components.entries()) {
    const index = components.findIndex(component => component.id === id);
    if (!begun.has(index)) handQuantizers(current, index, file.quantizers.get(components[index]?.table ?? 0));
    begun.add(index);
    // A later bit of the means is stored as it is.
    if (!isProgressive || (start === 0 && highBit === 0)) handCodes(current, dc, file.codes.get(DC | dc));
    if (start > 0 || !isProgressive) handCodes(current, 4 + ac, file.codes.get(AC | ac));
    current.scanComponent(order, index, dc, ac);
  }
  current.band(start, end, highBit, lowBit);
}

function handQuantizers(current: Decoder, index: number, quantizers: readonly number[] | undefined): void {
  if (quantizers === undefined) throw new BadJpeg('its quantizers are missing');
  for (const [at, value] of quantizers.entries()) current.quantizer(index, at, value);
}

/** Codes of one length follow each other; the next length goes on where they end, one bit longer. */
function handCodes(current: Decoder, table: number, codes: HuffmanCodes | undefined): void {
  if (codes === undefined) throw new BadJpeg('a Huffman table is missing');
  const { counts, values } = codes;
  const before = tabled[table];
  if (before !== undefined && isSame(before.counts, counts) && isSame(before.values, values)) return;
  tabled[table] = { counts: counts.slice(), values: values.slice() };
  new Uint8Array(current.memory.buffer, current.valuesAt(table), values.length).set(values);
  let first = 0;
  let earlier = 0;
  for (const [at, count] of counts.entries()) {
    current.codes(table, at + 1, count, first, earlier);
    first = (first + count) << 1;
    earlier += count;
  }
  if (table > 3) current.pairs(table);
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function newDecoder(): Decoder {
  tabled = [];
  return instantiate<Decoder>(JPEG_WASM);
}
