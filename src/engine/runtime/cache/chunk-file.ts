import { closeSync, readSync } from 'node:fs';
import * as record from './cache-record.ts';

/** Chunks in an open file, read one at a time, each checked. */
export class ChunkFile {
  readonly #handle: number;
  #memory = Buffer.alloc(0);
  #open = true;
  /** Where the next chunk is read, and where there are none any more. */
  position: number = record.HEADER_BYTES;
  end: number;

  constructor(handle: number, end: number) {
    this.#handle = handle;
    this.end = end;
  }

  /** Valid until the next call. */
  next(): Uint8Array | undefined {
    if (this.position >= this.end) return undefined;
    const head = record.parseHead(this.read(this.position, record.RECORD_BYTES));
    const start = this.position + record.RECORD_BYTES;
    if (start + head.length > this.end) throw new record.Damage('it breaks off inside a chunk');
    const chunk = this.read(start, head.length);
    record.checkChunk(chunk, head);
    this.position = start + head.length;
    return chunk;
  }

  /** Bytes at any place, valid until the next call. */
  read(from: number, length: number): Buffer {
    if (this.#memory.length < length) this.#memory = Buffer.from(new ArrayBuffer(2 ** Math.ceil(Math.log2(length))));
    let filled = 0;
    while (filled < length) {
      const count = readSync(this.#handle, this.#memory, filled, length - filled, from + filled);
      if (count === 0) throw new record.Damage(`it breaks off after ${from + filled} bytes`);
      filled += count;
    }
    return this.#memory.subarray(0, length);
  }

  close(): void {
    if (this.#open) closeSync(this.#handle);
    this.#open = false;
  }
}
