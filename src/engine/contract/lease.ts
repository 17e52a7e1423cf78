/** An element that lies in the memory of its channel until it is given back, and is good until then. */
export interface Lease<T> {
  readonly value: T;
  /** Its arrays lie in the channel. Otherwise they are the consumer's own, as long as it likes: they are small, or too many elements are kept. */
  readonly isLent: boolean;
  /** Gives it back; again does nothing. One that nobody refers to any more, nor to any of its arrays or parts of them, is given back some time later. */
  release(): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}
