import { constants, createGunzip } from 'node:zlib';
import { VenturiError } from '../../model/errors.ts';

/** Puts at most `length` bytes at `target[at]` and says how many; 0 at the end. */
export type ReadInto = (target: Uint8Array, at: number, length: number) => number;

const INPUT_BYTES = 64 * 1024;
const MAGIC = [0x1f, 0x8b] as const;

export const startsAsGzip = (head: Uint8Array): boolean => head[0] === MAGIC[0] && head[1] === MAGIC[1];

/** What zlib's own synchronous functions are made of. `state` holds the room left for output and the input left over. */
interface Inflater {
  readonly _handle: {
    onerror: (message: string) => void;
    writeSync(
      flush: number,
      input: Uint8Array,
      inputAt: number,
      inputLength: number,
      output: Uint8Array,
      outputAt: number,
      outputLength: number,
    ): void;
  };
  readonly _writeState: Uint32Array;
  close(): void;
}

/**
 * Inflates gzip, one member after the other, a piece at a time. Node offers this in other threads only, where the time
 * it takes would not be the reader's; its handle does it here, with as much memory as the caller has room for.
 */
export class Gunzip {
  readonly #path: string;
  readonly #read: ReadInto;
  readonly #zlib = createGunzip() as unknown as Inflater;
  readonly #input = new Uint8Array(INPUT_BYTES);
  #at = 0;
  #left = 0;
  #consumed = 0;
  #exhausted = false;
  #failure: string | undefined;

  constructor(path: string, read: ReadInto) {
    this.#path = path;
    this.#read = read;
    this.#zlib._handle.onerror = message => {
      this.#failure = message;
    };
  }

  readInto(target: Uint8Array, at: number, length: number): number {
    const { _handle: handle, _writeState: state } = this.#zlib;
    for (;;) {
      if (this.#left === 0 && !this.#exhausted) this.#refill();
      const flush = this.#exhausted ? constants.Z_FINISH : constants.Z_NO_FLUSH;
      handle.writeSync(flush, this.#input, this.#at, this.#left, target, at, length);
      if (this.#failure !== undefined) throw this.#damaged(this.#failure);
      const [roomLeft = 0, inputLeft = 0] = state;
      const consumed = this.#left - inputLeft;
      this.#consumed += consumed;
      this.#at += consumed;
      // Zeros after the last member are padding, which zlib leaves where it is.
      this.#left = consumed === 0 && roomLeft === length ? 0 : inputLeft;
      if (roomLeft < length) return length - roomLeft;
      if (this.#exhausted) return 0;
    }
  }

  #refill(): void {
    this.#at = 0;
    this.#left = this.#read(this.#input, 0, INPUT_BYTES);
    this.#exhausted = this.#left === 0;
  }

  #damaged(reason: string): VenturiError {
    const what = this.#exhausted
      ? 'ends inside its gzip data'
      : `is not gzip from byte ${this.#consumed} on: ${reason}`;
    return new VenturiError('VENTURI_BAD_RECORD', `${this.#path} ${what}`, {
      remedy: 'fetch or write the file again; gzip -t tells whether it is whole',
    });
  }

  close(): void {
    this.#zlib.close();
  }
}
