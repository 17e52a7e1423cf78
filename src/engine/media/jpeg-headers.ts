/** What the segments before a JPEG's scan say of it, as far as a baseline decoder needs it. */
export interface JpegHeaders {
  readonly width: number;
  readonly height: number;
  readonly components: readonly JpegComponent[];
  /** Blocks between two restarts of the decoder; 0: none. */
  readonly restartInterval: number;
  /** Where the scan's bytes begin. */
  readonly scan: number;
}

export interface JpegComponent {
  readonly horizontal: number;
  readonly vertical: number;
  /** 64 numbers in zigzag order. */
  readonly quantizers: readonly number[];
  readonly dc: HuffmanCodes;
  readonly ac: HuffmanCodes;
}

export interface HuffmanCodes {
  /** Codes of each length from 1 to 16. */
  readonly counts: Uint8Array;
  readonly values: Uint8Array;
}

/** The file is well formed or not; either way this decoder is not for it. */
export class NotBaseline extends Error {}

const SOF0 = 0xc0;
const SOF1 = 0xc1;
const DHT = 0xc4;
const SOI = 0xd8;
const SOS = 0xda;
const DQT = 0xdb;
const DRI = 0xdd;
const APP14 = 0xee;

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly components: readonly { id: number; horizontal: number; vertical: number; table: number }[];
}

/** Reads up to the first scan. Throws `NotBaseline` for what is progressive, of 12 bits, of other colours, or damaged. */
export function readJpegHeaders(bytes: Uint8Array): JpegHeaders {
  const file = new Segments(bytes);
  const quantizers = new Map<number, readonly number[]>();
  const codes = new Map<number, HuffmanCodes>();
  let frame: Frame | undefined;
  let restartInterval = 0;
  let transform: number | undefined;
  for (;;) {
    const marker = file.next();
    if (marker === DQT) while (file.left > 0) readQuantizers(file, quantizers);
    else if (marker === DHT) while (file.left > 0) readCodes(file, codes);
    else if (marker === DRI) restartInterval = file.pair();
    else if (marker === SOF0 || marker === SOF1) frame = readFrame(file);
    else if (marker === APP14) transform = readTransform(file) ?? transform;
    else if (marker >= SOF0 && marker <= 0xcf) throw new NotBaseline('it is not baseline');
    else if (marker === SOS) break;
  }
  if (frame === undefined) throw new NotBaseline('its scan comes before its frame');
  const { width, height } = frame;
  const components = scanned(file, frame, quantizers, codes);
  checkColours(frame, transform);
  return { width, height, components, restartInterval, scan: file.end };
}

/** The segments of a file, one after the other, and the bytes in each. */
class Segments {
  readonly #bytes: Uint8Array;
  #at = 2;
  end = 2;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    if (bytes[0] !== 0xff || bytes[1] !== SOI) throw new NotBaseline('it does not start as a JPEG file does');
  }

  next(): number {
    this.#at = this.end;
    // Fill bytes may stand before a marker.
    while (this.#bytes[this.#at] !== 0xff || (this.#bytes[this.#at + 1] ?? 0xff) === 0xff) {
      if (++this.#at >= this.#bytes.length) throw new NotBaseline('it ends before its scan');
    }
    const marker = this.#bytes[this.#at + 1] ?? 0;
    this.#at += 2;
    this.end = this.#bytes.length;
    const length = this.pair();
    this.end = this.#at + length - 2;
    if (length < 2 || this.end > this.#bytes.length) throw new NotBaseline('a segment is longer than the file');
    return marker;
  }

  get left(): number {
    return this.end - this.#at;
  }

  byte(): number {
    if (this.left < 1) throw new NotBaseline('a segment is too short');
    return this.#bytes[this.#at++] ?? 0;
  }

  pair(): number {
    return (this.byte() << 8) | this.byte();
  }

  take(count: number): Uint8Array {
    if (this.left < count) throw new NotBaseline('a segment is too short');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
}

function readQuantizers(file: Segments, into: Map<number, readonly number[]>): void {
  const head = file.byte();
  const wide = head >> 4 !== 0;
  into.set(
    head & 15,
    Array.from({ length: 64 }, () => (wide ? file.pair() : file.byte())),
  );
}

function readCodes(file: Segments, into: Map<number, HuffmanCodes>): void {
  const head = file.byte();
  const counts = file.take(16);
  const values = file.take(counts.reduce((sum, count) => sum + count, 0));
  // No more codes of a length than there is room for behind the shorter ones.
  let room = 1;
  for (const count of counts) {
    room = 2 * room - count;
    if (room < 0) throw new NotBaseline('a Huffman table has too many codes');
  }
  if (values.length > 256) throw new NotBaseline('a Huffman table has too many values');
  into.set(head, { counts, values });
}

function readFrame(file: Segments): Frame {
  if (file.byte() !== 8) throw new NotBaseline('its samples are not of 8 bits');
  const height = file.pair();
  const width = file.pair();
  if (width === 0 || height === 0) throw new NotBaseline(`its size is ${width} x ${height}`);
  const components = Array.from({ length: file.byte() }, () => {
    const id = file.byte();
    const factors = file.byte();
    return { id, horizontal: factors >> 4, vertical: factors & 15, table: file.byte() };
  });
  return { width, height, components };
}

/** Adobe's segment says which colours the components are. */
function readTransform(file: Segments): number | undefined {
  if (file.left < 12 || Buffer.from(file.take(5)).toString('latin1') !== 'Adobe') return undefined;
  file.take(6);
  return file.byte();
}

function scanned(
  file: Segments,
  frame: Frame,
  quantizers: ReadonlyMap<number, readonly number[]>,
  codes: ReadonlyMap<number, HuffmanCodes>,
): readonly JpegComponent[] {
  if (file.byte() !== frame.components.length) throw new NotBaseline('it has several scans');
  return frame.components.map(({ id, horizontal, vertical, table }) => {
    if (file.byte() !== id) throw new NotBaseline('its scan has its components in another order');
    const tables = file.byte();
    const quantizer = quantizers.get(table);
    const dc = codes.get(tables >> 4);
    const ac = codes.get(0x10 | (tables & 15));
    if (quantizer === undefined || dc === undefined || ac === undefined) throw new NotBaseline('a table is missing');
    return { horizontal, vertical, quantizers: quantizer, dc, ac };
  });
}

/** Grey, or YCbCr whose colours have all, half or a quarter of the samples. */
function checkColours({ components }: Frame, transform: number | undefined): void {
  if (components.length === 1) return;
  const [first, ...others] = components;
  const sampling = `${first?.horizontal}x${first?.vertical}`;
  const known =
    components.length === 3 &&
    transform !== 0 &&
    components.map(({ id }) => String.fromCharCode(id)).join('') !== 'RGB' &&
    ['1x1', '2x1', '2x2'].includes(sampling) &&
    others.every(({ horizontal, vertical }) => horizontal === 1 && vertical === 1);
  if (!known) throw new NotBaseline(`its colours are of another kind (${components.length} components, ${sampling})`);
}
