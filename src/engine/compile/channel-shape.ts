import { LARGE_CHUNK } from '../../model/chunk.ts';

/**
 * How a channel's memory is divided. Many small chunks keep two threads apart whose speed varies; many large ones would only fill memory
 * and the processor's caches. So every slot has a little memory of its own, and a chunk that is larger needs one of a few places instead.
 */
export interface ChannelShape {
  /** Chunks that it holds where all of them are small. */
  readonly slots: number;
  /** Bytes that lie in the slot itself. */
  readonly smallBytes: number;
  /** Chunks that it holds where all of them are large: as many as slots, or a whole fraction of them. */
  readonly places: number;
  /** The most that a place holds: larger chunks go in parts. */
  readonly placeBytes: number;
}

/** Memory is only touched when a chunk needs it, so places are as large as the budget allows. */
const MOST_PLACE_BYTES = 64 * 2 ** 20;
export const LEAST_PLACE_BYTES = 4096;
/** Of a channel's memory, for chunks so small that many of them stay in the processor's caches. */
const SHARE_OF_SMALL = 1 / 4;
const MOST_SLOTS = 32;

export const inPages = (bytes: number): number => Math.floor(bytes / LEAST_PLACE_BYTES) * LEAST_PLACE_BYTES;

/** Elements that a chunk may have where a prefetch allows only so many in all. */
const LEAST_IN_CHUNK = 64;

/** `maxElements`: the most that it may hold. */
export function shapeOf(places: number, bytes: number, maxElements = Number.POSITIVE_INFINITY): ChannelShape {
  const fits = Math.min(
    MOST_SLOTS,
    Math.floor(maxElements / LEAST_IN_CHUNK),
    Math.floor((SHARE_OF_SMALL * bytes) / LARGE_CHUNK),
  );
  const slots = places * Math.floor(fits / places);
  if (slots <= places) return plainShape(places, bytes);
  const placeBytes = inPages((bytes - slots * LARGE_CHUNK) / places);
  return { slots, smallBytes: LARGE_CHUNK, places, placeBytes: Math.min(MOST_PLACE_BYTES, placeBytes) };
}

/** A place for every slot. */
export const plainShape = (places: number, bytes: number): ChannelShape => ({
  slots: places,
  smallBytes: 0,
  places,
  placeBytes: Math.min(MOST_PLACE_BYTES, inPages(bytes / places)),
});

export const capacityOf = ({ slots, smallBytes, places, placeBytes }: ChannelShape): number =>
  slots * smallBytes + places * placeBytes;
