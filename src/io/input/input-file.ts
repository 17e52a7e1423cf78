import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../files/regular-file.ts';
import type { ByteInput } from './byte-window.ts';
import { type Recognise, recognised } from './compression.ts';
import { Decompressor, type ReadInto } from './decompressor.ts';
import { orUnreadable } from './file-reader.ts';

const HEAD_BYTES = 12;
/** One system call cannot move more than 2 GiB. */
const MOST_AT_ONCE = 1 << 30;

/** A file read front to back in the calling thread, straight into the caller's memory, decompressed where it is compressed. */
export class InputFile implements ByteInput {
  readonly path: string;
  /** As stored. */
  readonly size: number;
  readonly #handle: number;
  readonly #decompressor: Decompressor | undefined;
  readonly #until: number;
  #position = 0;

  /** `until`: the byte, as stored, at which it is taken to end. */
  constructor(path: string, recognise: Recognise = recognised, until = Number.POSITIVE_INFINITY) {
    this.path = path;
    this.#until = until;
    const head = new Uint8Array(HEAD_BYTES);
    this.#handle = orUnreadable(path, () => openRegular(path));
    try {
      this.size = orUnreadable(path, () => fstatSync(this.#handle).size);
      const headLength = orUnreadable(path, () => readSync(this.#handle, head, 0, HEAD_BYTES, 0));
      const compression = recognise(path, head.subarray(0, headLength));
      if (compression === undefined) return;
      const readStored: ReadInto = (target, at, length) => this.#readStored(target, at, length);
      this.#decompressor = new Decompressor(path, readStored, compression);
    } catch (error) {
      closeSync(this.#handle);
      throw error;
    }
  }

  /** How far the file as stored was read. */
  get position(): number {
    return this.#position;
  }

  get remaining(): number | undefined {
    return this.#decompressor === undefined
      ? Math.max(0, Math.min(this.size, this.#until) - this.#position)
      : undefined;
  }

  /** Goes on reading at `offset`; false where only what lies before tells what is there. */
  seek(offset: number): boolean {
    if (this.#decompressor !== undefined) return false;
    this.#position = offset;
    return true;
  }

  readInto(target: Uint8Array, at: number, length: number): number {
    return this.#decompressor?.readInto(target, at, length) ?? this.#readStored(target, at, length);
  }

  #readStored(target: Uint8Array, at: number, length: number): number {
    const wanted = Math.min(length, MOST_AT_ONCE, this.#until - this.#position);
    const read = orUnreadable(this.path, () => readSync(this.#handle, target, at, wanted, this.#position));
    this.#position += read;
    return read;
  }

  close(): void {
    this.#decompressor?.close();
    closeSync(this.#handle);
  }
}
