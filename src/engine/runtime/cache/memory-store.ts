import type { ChunkStore } from './chunk-store.ts';

/**
 * Chunks in memory. It is shared memory, of which V8 takes no account: a thread's own arrays count against its heap, and the more
 * of them it keeps, the more often all of the heap is looked through.
 */
export class MemoryStore implements ChunkStore {
  readonly warnings = [];
  readonly #chunks: Uint8Array[] = [];
  #next = 0;
  bytes = 0;
  whole: number | undefined;

  add(bytes: Uint8Array): void {
    const kept = new Uint8Array(new SharedArrayBuffer(bytes.length));
    kept.set(bytes);
    this.#chunks.push(kept);
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
