import { chunkElements, wholeMultiple } from '../../compile/chunk-size.ts';
import type { RingProducer } from '../ring/index.ts';

export interface CuttingOptions {
  /** Chunks and parts of them hold whole multiples of so many elements, but for the last of a pass and what a source made wait for. */
  readonly whole: number;
  readonly chunkElements: number | undefined;
  /** Most elements per chunk, from a prefetch. */
  readonly mostElements: number | undefined;
}

/** Where the elements that leave a lane are cut into chunks: as many as fit their consumers, and whole batches of those downstream. */
export class Cutting {
  readonly #options: CuttingOptions;
  /** Elements of a chunk that fit the consumers. */
  fitted: number;
  /** Elements of this chunk beyond whole multiples that have gone already. */
  #begun = 0;
  /**
   * NaN until it is known, not 0: a field of whole numbers that meets a fraction changes the object's layout, and V8
   * throws away the loop it has just compiled for the old one.
   */
  bytesPerElement = Number.NaN;
  /** ns its producer works on an element, where one piece makes many chunks. */
  ownPace = Number.NaN;

  constructor(options: CuttingOptions) {
    this.#options = options;
    this.fitted = wholeMultiple(options.chunkElements ?? 1, options.whole);
  }

  /** Elements up to the next cut: fewer behind a part that was not whole. */
  get limit(): number {
    return this.fitted - this.#begun;
  }

  /** Part of a batch has gone ahead. */
  get isBegun(): boolean {
    return this.#begun > 0;
  }

  /** Elements that `count` of them lack to whole multiples. */
  missing(count: number): number {
    const { whole } = this.#options;
    return (whole - ((this.#begun + count) % whole)) % whole;
  }

  /** A chunk, or with `continues` a part of one, has gone. */
  gone(count: number, continues: boolean): void {
    this.#begun = continues ? (this.#begun + count) % this.#options.whole : 0;
  }

  /** The next chunk's size, from what an element weighs and how long the slowest consumer works on one. */
  fit(bytesPerElement: number, rings: readonly RingProducer[]): void {
    this.bytesPerElement = Number.isNaN(this.bytesPerElement)
      ? bytesPerElement
      : (this.bytesPerElement + bytesPerElement) / 2;
    if (this.#options.chunkElements !== undefined) return;
    let [slotBytes, consumerNs, least] = [Number.POSITIVE_INFINITY, 0, 0];
    for (const ring of rings) {
      slotBytes = Math.min(slotBytes, ring.largeSlotBytes);
      consumerNs = Math.max(consumerNs, ring.consumerPace);
      least = Math.max(least, ring.leastElements);
    }
    const elements = chunkElements({
      bytesPerElement: this.bytesPerElement,
      slotBytes,
      consumerNs,
      producerNs: this.ownPace,
      // As long as no consumer's pace is known it stays as it is.
      grown: consumerNs > 0 ? 4 * this.fitted : this.fitted,
      least,
      most: this.#options.mostElements,
    });
    this.fitted = wholeMultiple(elements, this.#options.whole);
  }
}
