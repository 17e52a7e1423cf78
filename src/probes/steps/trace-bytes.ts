import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { openRegular } from '../../files/regular-file.ts';
import { VenturiError } from '../../model/errors.ts';
import { unreadableSteps } from './unreadable.ts';

const PIECE_BYTES = 1 << 20;
/** The first two bytes of every gzip file (RFC 1952). */
const GZIP = [0x1f, 0x8b] as const;

export const isGzip = (bytes: Uint8Array): boolean => GZIP.every((byte, at) => bytes[at] === byte);

/** Once by the profiler, and once more on the way. A file that unpacks to itself would never end. */
export const MOST_GZIPS = 2;

/** The bytes of a trace piece by piece, decompressed where the file is gzip, or gzip in gzip, whatever its name. */
export async function* traceBytes(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    const fd = openRegular(path);
    const file = createReadStream(path, { fd, start: 0, highWaterMark: PIECE_BYTES });
    yield* piecesInUtf8(unpacked(path, file, MOST_GZIPS));
  } catch (error) {
    if (error instanceof VenturiError || !(error instanceof Error)) throw error;
    throw unreadableSteps(path, isCut(error) ? 'it ends in the middle of its compressed data' : error.message);
  }
}

async function* unpacked(
  path: string,
  packed: AsyncIterable<Uint8Array>,
  gzipsLeft: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = packed[Symbol.asyncIterator]();
  try {
    const first = await beginningOf(pieces);
    const all = chained(first, pieces);
    if (!isGzip(first)) yield* all;
    else if (gzipsLeft === 0) throw unreadableSteps(path, `it is packed with gzip more than ${MOST_GZIPS} times`);
    else yield* unpacked(path, gunzipped(all), gzipsLeft - 1);
  } finally {
    await pieces.return?.();
  }
}

/** As many bytes at least as tell gzip. */
async function beginningOf(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let first: Uint8Array = new Uint8Array(0);
  while (first.length < GZIP.length) {
    const { value, done } = await pieces.next();
    if (done === true) break;
    first = first.length === 0 ? value : Buffer.concat([first, value]);
  }
  return first;
}

async function* chained(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (first.length > 0) yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

const gunzipped = (packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(packed, { objectMode: false }), createGunzip({ chunkSize: PIECE_BYTES }), () => undefined);

/** As editors of Windows begin a text in UTF-8; no format of traces does. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/** As its shells begin what they write into a file: in UTF-16. */
const WIDE_MARKS = [
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;

/** Of a text that begins so, where that is not UTF-8. */
const wideDecoder = (bytes: Uint8Array): TextDecoder | undefined => {
  const wide = WIDE_MARKS.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte));
  return wide && new TextDecoder(wide.encoding);
};

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;

/** The beginning of a text in UTF-8, without a mark; of what is no text as it is. */
export function inUtf8(beginning: Uint8Array): Uint8Array {
  const wide = wideDecoder(beginning);
  return wide === undefined ? withoutMark(beginning) : Buffer.from(wide.decode(beginning));
}

/** The same, of all of it. */
async function* piecesInUtf8(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true;
  let wide: TextDecoder | undefined;
  for await (const piece of pieces) {
    if (isFirst) wide = wideDecoder(piece);
    if (wide !== undefined) yield Buffer.from(wide.decode(piece, { stream: true }));
    else yield isFirst ? withoutMark(piece) : piece;
    isFirst = false;
  }
  // What is left of a text that was cut within a character.
  if (wide !== undefined) yield Buffer.from(wide.decode());
}

const isCut = (error: Error): boolean => (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
