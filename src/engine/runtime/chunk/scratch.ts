import { align8, COLUMN_BYTES } from './layout.ts';

const INITIAL_BYTES = 64 * 1024;
const KEPT_BYTES = 8 * 1024 * 1024;
const CHUNKS_OF_MEMORY = 64;
const LARGEST_BYTES = 2 ** 32 - 8;

/** The encoder's memory: written from the front. Its own is kept from chunk to chunk and grown by doubling; a chunk may also be written where it is to go. */
export class Scratch {
  u8 = new Uint8Array(INITIAL_BYTES) as Uint8Array;
  i32 = new Int32Array(this.u8.buffer);
  u32 = new Uint32Array(this.u8.buffer);
  f64 = new Float64Array(this.u8.buffer);
  i64 = new BigInt64Array(this.u8.buffer);
  /** Bytes written so far; always a multiple of eight. */
  used = 0;
  #own = this.u8;
  #largest = 0;
  #chunks = 0;

  get capacity(): number {
    return this.u8.byteLength;
  }

  /** Starts the next chunk. One giant element must not hold its memory for the rest of the run. */
  clear(): void {
    if (this.u8 === this.#own) this.#largest = Math.max(this.#largest, this.used);
    else this.#write(this.#own);
    this.used = 0;
    if (++this.#chunks < CHUNKS_OF_MEMORY) return;
    if (this.capacity > KEPT_BYTES && this.#largest < this.capacity / 4) {
      this.#replace(Math.max(INITIAL_BYTES, 2 ** Math.ceil(Math.log2(this.#largest))));
    }
    this.#largest = 0;
    this.#chunks = 0;
  }

  /** The chunk that begins is written to `place`, at a multiple of eight bytes of its memory, as long as it fits there. */
  lend(place: Uint8Array): void {
    this.#write(place);
  }

  /** Makes room for `bytes` more, counts them as used, and returns where they start. The views may be new ones afterwards. */
  take(bytes: number): number {
    const start = this.used;
    const end = start + align8(bytes);
    if (end > this.capacity) this.#grow(end);
    this.used = end;
    return start;
  }

  /** Begins a column. */
  head(kind: number, count: number): void {
    const at = this.take(COLUMN_BYTES) / 4;
    this.u32[at] = kind;
    this.u32[at + 1] = count;
  }

  #grow(needed: number): void {
    if (needed > LARGEST_BYTES) throw new Error(`A chunk of ${needed} bytes is larger than a chunk can be.`);
    const old = this.u8.subarray(0, this.used);
    if (needed > this.#own.byteLength) this.#replace(Math.min(LARGEST_BYTES, 2 ** Math.ceil(Math.log2(needed))));
    else this.#write(this.#own);
    this.u8.set(old);
  }

  #replace(bytes: number): void {
    this.#own = new Uint8Array(bytes);
    this.#write(this.#own);
  }

  #write(memory: Uint8Array): void {
    const { buffer, byteOffset, byteLength } = memory;
    const [words, longs] = [Math.floor(byteLength / 4), Math.floor(byteLength / 8)];
    this.u8 = memory;
    this.i32 = new Int32Array(buffer, byteOffset, words);
    this.u32 = new Uint32Array(buffer, byteOffset, words);
    this.f64 = new Float64Array(buffer, byteOffset, longs);
    this.i64 = new BigInt64Array(buffer, byteOffset, longs);
  }
}
