import type { AsyncBuffer } from 'hyparquet';
import type { RandomAccess } from '../storage/storage.ts';

/**
 * A file as the decoder wants it. Reads are synchronous: what the decoder awaits is there at once, and all work stays in
 * the thread that asks.
 */
export class ParquetBytes implements AsyncBuffer {
  readonly byteLength: number;
  readonly #file: RandomAccess;
  #held = new Uint8Array();
  #heldFrom = 0;

  constructor(file: RandomAccess) {
    this.#file = file;
    this.byteLength = file.size;
  }

  slice(start: number, end: number = this.byteLength): ArrayBuffer {
    const from = start - this.#heldFrom;
    const to = end - this.#heldFrom;
    if (from >= 0 && from <= to && to <= this.#held.length) return this.#held.slice(from, to).buffer;
    return this.#read(start, end).buffer;
  }

  /** Reads a range that will be asked for again. Only one is held. */
  hold(start: number, end: number): void {
    this.#held = this.#read(start, end);
    this.#heldFrom = start;
  }

  /** Bytes of the range that is held. */
  held(start: number, end: number): Uint8Array<ArrayBuffer> {
    return this.#held.subarray(start - this.#heldFrom, end - this.#heldFrom);
  }

  forget(): void {
    this.#held = new Uint8Array();
  }

  #read(start: number, end: number): Uint8Array<ArrayBuffer> {
    if (!(start >= 0 && start <= end && end <= this.byteLength)) {
      throw new Error(`it should lie at bytes ${start}-${end}, and the file has ${this.byteLength}`);
    }
    const bytes = new Uint8Array(end - start);
    if (this.#file.read(bytes, start) < bytes.length) throw new Error('the file became shorter while it was read');
    return bytes;
  }
}
