import type { ChunkStore } from './chunk-store.ts';

/** Chunks in this thread's memory, outside the collector's heap. */
export class MemoryStore implements ChunkStore {
  readonly warnings = [];
  readonly #chunks: Uint8Array[] = [];
  #next = 0;
  bytes = 0;
  whole: number | undefined;

  add(bytes: Uint8Array): void {
    this.#chunks.push(bytes.slice());
    this.bytes += bytes.length;
    this.#next = this.#chunks.length;
  }

  next(): Uint8Array | undefined {
    return this.#chunks[this.#next++];
  }

  rewind(): void {
    this.#next = 0;
  }

  complete(elements: number): void {
    this.whole = elements;
  }

  close(): void {
    this.#chunks.length = 0;
    this.bytes = 0;
  }
}
