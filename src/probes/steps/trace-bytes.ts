import { createReadStream, readSync } from 'node:fs';
import { PassThrough, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { openRegular } from '../../files/regular-file.ts';
import { VenturiError } from '../../model/errors.ts';

const PIECE_BYTES = 1 << 20;
/** The first two bytes of every gzip file (RFC 1952). */
const GZIP = [0x1f, 0x8b] as const;

export const isGzip = (bytes: Uint8Array): boolean => GZIP.every((byte, at) => bytes[at] === byte);

/** The bytes of a trace piece by piece, decompressed where the file is gzip, whatever its name. */
export async function* traceBytes(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    const fd = openRegular(path);
    const head = new Uint8Array(GZIP.length);
    readSync(fd, head, 0, head.length, 0);
    const file = createReadStream(path, { fd, start: 0, highWaterMark: PIECE_BYTES });
    const unpacked = isGzip(head) ? createGunzip({ chunkSize: PIECE_BYTES }) : new PassThrough();
    yield* withoutMark(pipeline(file, unpacked, () => undefined) as AsyncIterable<Uint8Array>);
  } catch (error) {
    if (error instanceof VenturiError || !(error instanceof Error)) throw error;
    throw unreadableSteps(path, isCut(error) ? 'it ends in the middle of its compressed data' : error.message);
  }
}

/** As editors of Windows begin a text in UTF-8; no format of traces does. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

async function* withoutMark(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true;
  for await (const piece of pieces) {
    const isMarked = isFirst && BYTE_ORDER_MARK.every((byte, at) => piece[at] === byte);
    isFirst = false;
    yield isMarked ? piece.subarray(BYTE_ORDER_MARK.length) : piece;
  }
}

const isCut = (error: Error): boolean => (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';

export const unreadableSteps = (path: string, why: string): VenturiError =>
  new VenturiError('VENTURI_STEPS_UNREADABLE', `${path} cannot be read as a trace of training steps: ${why}.`, {
    remedy:
      'Give what torch.profiler exported with prof.export_chrome_trace("trace.json"), or another of the formats in docs/steps.md, whole: copy it again if it was cut.',
  });
