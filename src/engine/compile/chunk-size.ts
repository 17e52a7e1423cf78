/** A chunk should keep its consumer busy about this long, ns: long against its overhead, short against everything else. */
const CHUNK_NS = 2e6;
/** And should stay in the caches on its way. */
const CHUNK_BYTES = 256 * 1024;
/**
 * Where one piece makes many chunks, none should keep its producer busy for longer than this, ns: between two of them it looks
 * after its memory, where what was made on the way to a small element may lie.
 */
export const MADE_NS = 2e6;
/** Arrays of more elements than this leave the collector's fast lane: filling them costs three times as much. */
export const MOST_ELEMENTS = 1 << 14;
/** Elements of a chunk for each call under way at once, so that its last calls are few beside the others. */
const PER_CALL = 8;

/** Elements that a chunk should hold for an async function. */
export const elementsForCalls = (concurrency: number): number => (concurrency === 1 ? 1 : PER_CALL * concurrency);

/** What the size of a chunk depends on. */
export interface ChunkNeeds {
  readonly bytesPerElement: number;
  /** The most that goes in one piece. */
  readonly slotBytes?: number;
  /** Time that the slowest consumer works on an element, where known, and its producer, where one piece makes many chunks. */
  readonly consumerNs: number;
  readonly producerNs?: number;
  /** The most that time may ask for yet. */
  readonly grown?: number;
  /** Async functions want as many, and a prefetch allows no more. */
  readonly least?: number;
  readonly most?: number | undefined;
}

/** Elements of the next chunk. */
export function chunkElements({
  bytesPerElement,
  slotBytes = CHUNK_BYTES,
  consumerNs,
  producerNs = 0,
  grown = MOST_ELEMENTS,
  least = 0,
  most = MOST_ELEMENTS,
}: ChunkNeeds): number {
  const byBytes = Math.min(CHUNK_BYTES, slotBytes) / bytesPerElement;
  const byTime = Math.min(
    consumerNs > 0 ? CHUNK_NS / consumerNs : grown,
    producerNs > 0 ? MADE_NS / producerNs : Number.POSITIVE_INFINITY,
  );
  const wanted = Math.min(byBytes, Math.max(Math.min(byTime, grown), least), MOST_ELEMENTS, most);
  return Math.max(1, Math.floor(wanted));
}

/** At most `elements`, in whole multiples of `whole`, but one of them at least. */
export const wholeMultiple = (elements: number, whole: number): number =>
  Math.max(whole, elements - (elements % whole));
