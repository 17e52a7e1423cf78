import { constants } from 'node:buffer';
import type { Address } from './http-address.ts';
import { tooLarge } from './http-failure.ts';

/** Where it is not known how many bytes will come, room is made for so many at a time. */
const PIECE_BYTES = 256 * 1024;

/** Bytes as they arrive, without a copy where their number is known beforehand. */
export class HttpBody {
  readonly #address: Address;
  readonly #most: number;
  /** Filled one after the other; all but the last are full. */
  #pieces: Uint8Array<ArrayBuffer>[];
  /** Of the last piece. */
  #filled = 0;
  length = 0;

  /** `room`: where the bytes go, if it is known that they will fill it. `most`: bytes that may be held where nobody said how many will come. */
  constructor(address: Address, most: number, room?: Uint8Array<ArrayBuffer>) {
    this.#address = address;
    this.#most = most;
    this.#pieces = room === undefined ? [] : [room];
  }

  /** There will be `length` of them in all. */
  expect(length: number): void {
    const [room] = this.#pieces;
    if (room !== undefined && room.length >= length) return;
    const whole = allocate(this.#address, length);
    this.#copyInto(whole);
    this.#pieces = [whole];
    this.#filled = this.length;
  }

  append(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      let piece = this.#pieces.at(-1);
      if (piece === undefined || this.#filled === piece.length) {
        if (this.length + chunk.length - at > this.#most) throw tooLarge(this.#address, undefined, this.#most);
        // Chunks are parts of larger buffers: to keep them would keep those.
        piece = allocate(this.#address, PIECE_BYTES);
        this.#pieces.push(piece);
        this.#filled = 0;
      }
      const taken = chunk.subarray(at, at + piece.length - this.#filled);
      piece.set(taken, this.#filled);
      this.#filled += taken.length;
      this.length += taken.length;
      at += taken.length;
    }
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    const [first] = this.#pieces;
    if (first !== undefined && first.length === this.length) return first;
    const whole = allocate(this.#address, this.length);
    this.#copyInto(whole);
    return whole;
  }

  #copyInto(whole: Uint8Array): void {
    let at = 0;
    for (const piece of this.#pieces) {
      const part = piece.subarray(0, this.length - at);
      whole.set(part, at);
      at += part.length;
    }
  }
}

/** The number may be a server's word, so it may be absurd. */
export function allocate(address: Address, length: number): Uint8Array<ArrayBuffer> {
  if (length > constants.MAX_LENGTH) throw tooLarge(address, length);
  try {
    return new Uint8Array(length);
  } catch {
    throw tooLarge(address, length);
  }
}
