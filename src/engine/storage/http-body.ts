import { constants } from 'node:buffer';
import type { Address } from './http-address.ts';
import { tooLarge } from './http-failure.ts';

/** Bytes as they arrive, without a copy where their number is known beforehand. */
export class HttpBody {
  readonly #address: Address;
  #room: Uint8Array<ArrayBuffer>;
  length = 0;

  /** `room`: where the bytes go, if it is known that they will fill it. */
  constructor(address: Address, room: Uint8Array<ArrayBuffer> = new Uint8Array()) {
    this.#address = address;
    this.#room = room;
  }

  /** There will be `length` of them in all. */
  expect(length: number): void {
    if (this.#room.length < length) this.#grow(length);
  }

  append(chunk: Uint8Array): void {
    const end = this.length + chunk.length;
    if (end > this.#room.length) this.#grow(Math.max(end, this.#room.length * 2));
    this.#room.set(chunk, this.length);
    this.length = end;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#room.length === this.length ? this.#room : this.#room.slice(0, this.length);
  }

  #grow(length: number): void {
    const room = allocate(this.#address, length);
    room.set(this.#room.subarray(0, this.length));
    this.#room = room;
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
