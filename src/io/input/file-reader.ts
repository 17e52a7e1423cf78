import { explained, UnsuitableFileError } from '../../files/regular-file.ts';
import { VenturiError } from '../../model/errors.ts';
import type { ByteInput } from './byte-window.ts';

const PIECE_BYTES = 256 * 1024;

/** A file that was opened. */
interface OpenFile extends ByteInput {
  /** Of all of it as stored, and how far that was read. */
  readonly size: number;
  readonly position: number;
  close(): void;
}

/** Reads a file front to back in pieces, synchronously, decompressed where it is compressed. */
export class FileReader {
  readonly #file: OpenFile;
  readonly #buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #position = 0;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  /** As stored. */
  get size(): number {
    return this.#file.size;
  }

  /** How far the file as stored was read. */
  get stored(): number {
    return this.#file.position;
  }

  /** How far it was read, decompressed. */
  get position(): number {
    return this.#position;
  }

  /** The next piece, valid until the next call; empty at the end. */
  next(most = PIECE_BYTES): Buffer {
    const length = this.#file.readInto(this.#buffer, 0, most);
    this.#position += length;
    return this.#buffer.subarray(0, length);
  }

  /** Goes on at byte `offset`, which lies ahead. What is compressed is decompressed up to it. */
  seek(offset: number): void {
    if (this.#file.seek?.(offset) === true) {
      this.#position = offset;
      return;
    }
    while (this.#position < offset) {
      if (this.next(Math.min(PIECE_BYTES, offset - this.#position)).length === 0) return;
    }
  }

  close(): void {
    this.#file.close();
  }
}

/** What `read` gives, with an error of the system's that says which file it was. */
export function orUnreadable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(path, error);
  }
}

export function unreadable(path: string, thrown: unknown): VenturiError {
  const cause = explained(path, thrown);
  const reason = cause instanceof Error ? cause.message.replace(/, (open|read|stat|scandir).*$/, '') : String(cause);
  return new VenturiError('VENTURI_SOURCE_UNREADABLE', `cannot read ${path === '' ? "''" : path}: ${reason}`, {
    cause,
    remedy: remedyFor(path, cause),
  });
}

function remedyFor(path: string, cause: unknown): string {
  if (cause instanceof UnsuitableFileError) {
    return 'give the path of a file; what comes through a pipe has to be written to one first';
  }
  if (/^(https?|s3):\/\//.test(path)) return 'read addresses with objects(), or download them first';
  if (/[*{]/.test(path))
    return "paths are taken as they are; find files by a pattern with glob('…'), and open each with interleave";
  return 'check the path and its permissions; paths are relative to the directory the command runs in';
}
