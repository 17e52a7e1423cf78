/** Encoded chunks in their order: added at the end, read from the front, pass after pass. */
export interface ChunkStore {
  readonly bytes: number;
  /** Elements it holds, where nothing will be added any more. */
  readonly whole: number | undefined;
  readonly warnings: readonly string[];
  /** Adds a chunk of `count` elements, as good as read in this pass. */
  add(bytes: Uint8Array, count: number): void;
  /** The next chunk of this pass, valid until the next call; undefined behind the last. */
  next(): Uint8Array | undefined;
  /** A pass begins: the first chunk comes next. */
  rewind(): void;
  /** Nothing will be added any more to these `elements`. */
  complete(elements: number): void;
  /** Nobody will read it again. */
  close(): void;
}
