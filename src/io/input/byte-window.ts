import { VenturiError } from '../../model/errors.ts';
import type { ReadInto } from './decompressor.ts';

const WINDOW_BYTES = 256 * 1024;
/** The most one array holds on every Node this runs on. */
const MOST_TAKEN = 2 ** 32 - 1;

/** What a window moves along: a file, inflated or not. */
export interface ByteInput {
  readonly path: string;
  /** Bytes still to come, where that is known before they are read. */
  readonly remaining: number | undefined;
  readonly readInto: ReadInto;
  /** Goes on reading at a byte; false where it cannot. */
  seek?(offset: number): boolean;
}

/** A range of a file that moves along it. The bytes between `at` and `end` were read and not yet used. */
export class ByteWindow {
  readonly file: ByteInput;
  /** One byte after `end` is always free, for a parser's sentinel. */
  bytes = new Uint8Array(WINDOW_BYTES + 1);
  at = 0;
  end = 0;
  #before = 0;

  constructor(file: ByteInput) {
    this.file = file;
  }

  /** Where `at` is in the file, after inflating. */
  get offset(): number {
    return this.#before + this.at;
  }

  /** The part of what was read that has been used. */
  get used(): number {
    const read = this.#before + this.end;
    return read > 0 ? this.offset / read : 0;
  }

  /** Reads on and keeps what was not used yet, in a larger window where it fills this one; false at the end of the file. */
  more(): boolean {
    const unused = this.end - this.at;
    const room = this.bytes.length - 1;
    if (unused === room) {
      const wider = new Uint8Array(2 * room + 1);
      wider.set(this.bytes.subarray(this.at, this.end));
      this.bytes = wider;
    } else if (this.at > 0) {
      this.bytes.copyWithin(0, this.at, this.end);
    }
    this.#before += this.at;
    this.at = 0;
    this.end = unused;
    // Decompressed bytes come in small amounts. Who looks at a record again from its beginning should find it much longer.
    while (this.end < 2 * unused || this.end === unused) {
      const read = this.file.readInto(this.bytes, this.end, this.bytes.length - 1 - this.end);
      if (read === 0) break;
      this.end += read;
    }
    return this.end > unused;
  }

  /** Whether `count` bytes lie ahead. */
  reach(count: number): boolean {
    while (this.end - this.at < count) if (!this.more()) return false;
    return true;
  }

  /** The next `count` bytes in memory of their own; undefined where the file ends before them. */
  take(count: number): Uint8Array | undefined {
    const ready = this.end - this.at;
    if (count <= ready) {
      this.at += count;
      return this.bytes.slice(this.at - count, this.at);
    }
    // A length that is wrong must not cost memory before it is found out.
    const { remaining } = this.file;
    if (remaining !== undefined && count > ready + remaining) return undefined;
    if (count > MOST_TAKEN) throw this.#tooLarge(count);
    const taken = new Uint8Array(count);
    taken.set(this.bytes.subarray(this.at, this.end));
    let filled = ready;
    while (filled < count) {
      const read = this.file.readInto(taken, filled, count - filled);
      if (read === 0) return undefined;
      filled += read;
    }
    this.#before += this.at + count;
    this.at = 0;
    this.end = 0;
    return taken;
  }

  /** Goes on to byte `offset` of the file, which lies ahead; false where the file ends before it. */
  seek(offset: number): boolean {
    if (offset < this.#before + this.end || this.file.seek?.(offset) !== true) return this.skip(offset - this.offset);
    this.#before = offset;
    this.at = 0;
    this.end = 0;
    return true;
  }

  /** Passes over `count` bytes; false where the file ends before them. What lies far ahead is not read for it. */
  skip(count: number): boolean {
    const ahead = count - (this.end - this.at);
    const { remaining } = this.file;
    if (remaining !== undefined && ahead > remaining) return false;
    if (remaining !== undefined && ahead > WINDOW_BYTES && this.file.seek?.(this.offset + count) === true) {
      this.#before += this.at + count;
      this.at = 0;
      this.end = 0;
      return true;
    }
    let left = count;
    for (;;) {
      const step = Math.min(left, this.end - this.at);
      this.at += step;
      left -= step;
      if (left === 0) return true;
      if (!this.more()) return false;
    }
  }

  /** Reads compressed data to its end, because only there is the checksum that tells whether all of it was right. */
  verify(): void {
    if (this.file.remaining !== undefined) return;
    do this.at = this.end;
    while (this.more());
  }

  #tooLarge(count: number): VenturiError {
    return new VenturiError(
      'VENTURI_BAD_RECORD',
      `${this.file.path}: ${count} bytes at byte ${this.offset} are one record`,
      {
        remedy: 'a record must be smaller than 4 GiB; if it is, the file is damaged',
      },
    );
  }
}
