import { ChunkDecoder, ChunkEncoder } from '../chunk/index.ts';
import type { ChunkStore } from './chunk-store.ts';

/** A chunk of as many bytes or elements is worth its overhead; one of more has left the processor's caches before its elements are used. */
const ENOUGH_BYTES = 16 * 1024;
const ENOUGH_ELEMENTS = 1024;
/** A chunk of as many bytes is enough, however few its elements are. */
const MOST_BYTES = 4 * 2 ** 20;

/**
 * Encodes elements into a store. They are encoded before anyone else sees them, so whatever is done to them later does not
 * change what is kept. Where they come in small pieces, as they do from a slow upstream, the pieces are decoded again
 * and put together: that takes time only while there is plenty.
 */
export class Gatherer {
  readonly #store: ChunkStore;
  readonly #leastElements: number;
  readonly #encoder = new ChunkEncoder();
  readonly #decoder = new ChunkDecoder();
  #pieces: Uint8Array[] = [];
  #elements = 0;
  /** Of the pieces not yet in the store. */
  #bytes = 0;

  /** `leastElements`: async functions downstream want as many in a chunk. */
  constructor(store: ChunkStore, leastElements: number) {
    this.#store = store;
    this.#leastElements = leastElements;
  }

  /** Bytes kept in all. */
  get bytes(): number {
    return this.#store.bytes + this.#bytes;
  }

  add(values: readonly unknown[], from: number, to: number): void {
    const bytes = this.#encoder.encode(values, from, to);
    if (this.#pieces.length === 0 && this.#isEnough(bytes.length, to - from)) {
      this.#store.add(bytes, to - from);
      return;
    }
    this.#pieces.push(bytes.slice());
    this.#bytes += bytes.length;
    this.#elements += to - from;
    if (this.#isEnough(this.#bytes, this.#elements)) this.flush();
  }

  #isEnough(bytes: number, elements: number): boolean {
    if (elements >= ENOUGH_ELEMENTS || bytes >= MOST_BYTES) return true;
    return bytes >= ENOUGH_BYTES && elements >= this.#leastElements;
  }

  /** Whatever came so far goes into the store. */
  flush(): void {
    const pieces = this.#pieces;
    const [only] = pieces;
    if (only === undefined) return;
    this.#pieces = [];
    this.#bytes = 0;
    const count = this.#elements;
    this.#elements = 0;
    this.#store.add(pieces.length === 1 ? only : this.#together(pieces), count);
  }

  #together(pieces: readonly Uint8Array[]): Uint8Array {
    const values: unknown[] = [];
    for (const piece of pieces) for (const value of this.#decoder.decode(piece).values) values.push(value);
    return this.#encoder.encode(values, 0, values.length);
  }
}
