import { VenturiError } from '../../model/errors.ts';
import type { Compression } from './compression.ts';
import type { ZlibStream, ZlibStreams } from './zlib-streams.ts';

/** Puts at most `length` bytes at `target[at]` and says how many; 0 at the end. */
export type ReadInto = (target: Uint8Array, at: number, length: number) => number;

const INPUT_BYTES = 64 * 1024;

/**
 * Decompresses a file, one member or frame after the other, a piece at a time. Node offers this in other threads only, where the time
 * it takes would not be the reader's; its handle does it here, with as much memory as the caller has room for.
 */
export class Decompressor {
  readonly #path: string;
  readonly #read: ReadInto;
  readonly #compression: Compression;
  readonly #streams: ZlibStreams;
  /** Undefined once it is closed: the stream may be at another file then. */
  #zlib: ZlibStream | undefined;
  readonly #input = new Uint8Array(INPUT_BYTES);
  #at = 0;
  #left = 0;
  #consumed = 0;
  #exhausted = false;
  #failure: string | undefined;

  constructor(path: string, read: ReadInto, compression: Compression) {
    this.#path = path;
    this.#compression = compression;
    this.#streams = compression.streams(path);
    this.#zlib = this.#streams.take();
    this.#read = read;
    this.#zlib._handle.onerror = message => {
      this.#failure = message;
    };
  }

  readInto(target: Uint8Array, at: number, length: number): number {
    if (this.#zlib === undefined) throw new Error(`${this.#path} is closed`);
    const { _handle: handle, _writeState: state } = this.#zlib;
    for (;;) {
      if (this.#left === 0 && !this.#exhausted) this.#refill();
      const flush = this.#exhausted ? this.#compression.atEnd : this.#compression.onTheWay;
      handle.writeSync(flush, this.#input, this.#at, this.#left, target, at, length);
      if (this.#failure !== undefined) throw this.#damaged(this.#failure);
      const [roomLeft = 0, inputLeft = 0] = state;
      const consumed = this.#left - inputLeft;
      this.#consumed += consumed;
      this.#at += consumed;
      this.#left = inputLeft;
      if (inputLeft > 0 && consumed === 0 && roomLeft === length) this.#passOver();
      if (roomLeft < length) return length - roomLeft;
      if (this.#exhausted) return 0;
    }
  }

  /** What the decoder leaves where it is, behind the last member: zeros are padding. */
  #passOver(): void {
    const rest = this.#input.subarray(this.#at, this.#at + this.#left);
    if (rest.some(byte => byte !== 0)) throw this.#damaged('there is something else behind its last part');
    this.#left = 0;
  }

  #refill(): void {
    this.#at = 0;
    this.#left = this.#read(this.#input, 0, INPUT_BYTES);
    this.#exhausted = this.#left === 0;
  }

  #damaged(reason: string): VenturiError {
    const what = this.#exhausted
      ? `ends inside its ${this.#compression.name} data`
      : `is not ${this.#compression.name} from byte ${this.#consumed} on: ${reason}`;
    return new VenturiError('VENTURI_BAD_RECORD', `${this.#path} ${what}`, {
      remedy: `fetch or write the file again; ${this.#compression.name} -t tells whether it is whole`,
    });
  }

  close(): void {
    const stream = this.#zlib;
    this.#zlib = undefined;
    if (stream === undefined) return;
    if (this.#failure === undefined) this.#streams.giveBack(stream);
    else stream.close();
  }
}
