import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../files/regular-file.ts';
import type { ByteInput } from './byte-window.ts';
import { unreadable } from './file-reader.ts';
import { Gunzip, startsAsGzip } from './gzip.ts';

const HEAD_BYTES = 12;
/** One system call cannot move more than 2 GiB. */
const MOST_AT_ONCE = 1 << 30;

/** Whether a file that starts with `head` is to be inflated. */
export type IsGzip = (path: string, head: Uint8Array) => boolean;

/** By what the file starts with; a name that says gzip is believed, so that an empty or damaged file is told of. */
export const looksLikeGzip: IsGzip = (path, head) => startsAsGzip(head) || isNamedGzip(path);

export const isNamedGzip = (path: string): boolean => /\.t?gz$/i.test(path);

/** A file read front to back in the calling thread, straight into the caller's memory, inflated where it is gzip. */
export class InputFile implements ByteInput {
  readonly path: string;
  /** As stored. */
  readonly size: number;
  readonly #handle: number;
  readonly #gunzip: Gunzip | undefined;
  readonly #until: number;
  #position = 0;

  /** `until`: the byte, as stored, at which it is taken to end. */
  constructor(path: string, isGzip: IsGzip = looksLikeGzip, until = Number.POSITIVE_INFINITY) {
    this.path = path;
    this.#until = until;
    const head = new Uint8Array(HEAD_BYTES);
    try {
      this.#handle = openRegular(path);
    } catch (error) {
      throw unreadable(path, error);
    }
    let headLength: number;
    try {
      this.size = fstatSync(this.#handle).size;
      headLength = readSync(this.#handle, head, 0, HEAD_BYTES, 0);
    } catch (error) {
      closeSync(this.#handle);
      throw unreadable(path, error);
    }
    const inflate = isGzip(path, head.subarray(0, headLength));
    this.#gunzip = inflate ? new Gunzip(path, (target, at, length) => this.#readStored(target, at, length)) : undefined;
  }

  /** How far the file as stored was read. */
  get position(): number {
    return this.#position;
  }

  get remaining(): number | undefined {
    return this.#gunzip === undefined ? Math.max(0, Math.min(this.size, this.#until) - this.#position) : undefined;
  }

  /** Goes on reading at `offset`; false where only what lies before tells what is there. */
  seek(offset: number): boolean {
    if (this.#gunzip !== undefined) return false;
    this.#position = offset;
    return true;
  }

  readInto(target: Uint8Array, at: number, length: number): number {
    return this.#gunzip?.readInto(target, at, length) ?? this.#readStored(target, at, length);
  }

  #readStored(target: Uint8Array, at: number, length: number): number {
    try {
      const wanted = Math.min(length, MOST_AT_ONCE, this.#until - this.#position);
      const read = readSync(this.#handle, target, at, wanted, this.#position);
      this.#position += read;
      return read;
    } catch (error) {
      throw unreadable(this.path, error);
    }
  }

  close(): void {
    this.#gunzip?.close();
    closeSync(this.#handle);
  }
}
