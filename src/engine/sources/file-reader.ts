import { closeSync, fstatSync, readSync } from 'node:fs';
import { explained, openRegular, UnsuitableFileError } from '../../files/regular-file.ts';
import { VenturiError } from '../../model/errors.ts';

const PIECE_BYTES = 256 * 1024;

/** Reads a file front to back in pieces, synchronously. */
export class FileReader {
  readonly path: string;
  readonly size: number;
  position = 0;
  readonly #handle: number;
  readonly #buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);

  constructor(path: string) {
    this.path = path;
    try {
      this.#handle = openRegular(path);
      this.size = fstatSync(this.#handle).size;
    } catch (error) {
      throw unreadable(path, error);
    }
  }

  /** The next piece, valid until the next call; empty at the end. */
  next(): Buffer {
    try {
      const length = readSync(this.#handle, this.#buffer, 0, PIECE_BYTES, this.position);
      this.position += length;
      return this.#buffer.subarray(0, length);
    } catch (error) {
      throw unreadable(this.path, error);
    }
  }

  close(): void {
    closeSync(this.#handle);
  }
}

export function unreadable(path: string, thrown: unknown): VenturiError {
  const cause = explained(path, thrown);
  const reason = cause instanceof Error ? cause.message.replace(/, (open|read|stat|scandir).*$/, '') : String(cause);
  return new VenturiError('VENTURI_SOURCE_UNREADABLE', `cannot read ${path}: ${reason}`, {
    cause,
    remedy:
      cause instanceof UnsuitableFileError
        ? 'give the path of a file; what comes through a pipe has to be written to one first'
        : 'check the path and its permissions; paths are relative to the directory the command runs in',
  });
}
