import { LARGE_CHUNK } from '../model/chunk.ts';
import type { ChannelSizing } from '../model/graph.ts';

/**
 * How a channel's memory is divided. Many small chunks keep two threads apart whose speed varies; many large ones would only fill memory
 * and the processor's caches. So every slot has a little memory of its own, and a chunk that is larger needs one of a few large slots instead.
 */
export interface ChannelShape {
  /** Chunks that it holds where all of them are small. */
  readonly slots: number;
  /** Bytes that lie in the slot itself. */
  readonly smallBytes: number;
  /** Chunks that it holds where all of them are large: as many as slots, or a whole fraction of them. */
  readonly largeSlots: number;
  /** The most that a large slot holds: larger chunks go in parts. */
  readonly largeSlotBytes: number;
}

/** Memory is only touched when a chunk needs it, so large slots are as large as the budget allows. */
const MOST_LARGE_SLOT_BYTES = 64 * 2 ** 20;
/** A page of memory on most machines. */
export const LEAST_LARGE_SLOT_BYTES = 4096;
/** Of a channel's memory, for chunks so small that many of them stay in the processor's caches. */
const SHARE_OF_SMALL = 1 / 4;
/** Small chunks that keep two threads apart whose speed varies. A judgement. */
const MOST_SLOTS = 32;

const inPages = (bytes: number): number => Math.floor(bytes / LEAST_LARGE_SLOT_BYTES) * LEAST_LARGE_SLOT_BYTES;

/** Large slots of a channel: two for every lane, one that is worked on while the other waits for its turn, and two more. A plan may know that it takes more. */
export const slotsWanted = (lanes: number, asked?: unknown): number => Math.max(2 * lanes + 2, Number(asked ?? 0));

/** Elements that a chunk may have where a prefetch allows only so many in all. */
const LEAST_IN_CHUNK = 64;

/** `maxElements`: the most that it may hold. */
export function shapeOf(largeSlots: number, bytes: number, maxElements = Number.POSITIVE_INFINITY): ChannelShape {
  const fits = Math.min(
    MOST_SLOTS,
    Math.floor(maxElements / LEAST_IN_CHUNK),
    Math.floor((SHARE_OF_SMALL * bytes) / LARGE_CHUNK),
  );
  const slots = largeSlots * Math.floor(fits / largeSlots);
  if (slots <= largeSlots) return plainShape(largeSlots, bytes);
  const largeSlotBytes = inPages((bytes - slots * LARGE_CHUNK) / largeSlots);
  return {
    slots,
    smallBytes: LARGE_CHUNK,
    largeSlots,
    largeSlotBytes: Math.min(MOST_LARGE_SLOT_BYTES, largeSlotBytes),
  };
}

/** Blocks that a consumer may keep while others take their place: the batch it works on and the next one, and some that it has not given back yet. */
const LEAST_SPARES = 2;
/** More of them would only fill memory. A judgement. */
const MOST_SPARES = 4;

/**
 * The same channel with blocks that its consumer may keep, out of the `held` bytes that are meant for what is in the consumer's hands: in one of
 * these it lies nowhere else. Large slots become smaller only where that does not hold two: a batch that misses its slot passes in parts,
 * which are copied together.
 */
export function withSpares(
  shape: ChannelShape,
  held: number,
): { readonly shape: ChannelShape; readonly spares: number } {
  const { largeSlots, largeSlotBytes } = shape;
  const spares = Math.max(LEAST_SPARES, Math.min(MOST_SPARES, Math.floor(held / largeSlotBytes)));
  const bytes = inPages((largeSlots * largeSlotBytes + held) / (largeSlots + spares));
  return {
    shape: { ...shape, largeSlotBytes: Math.max(LEAST_LARGE_SLOT_BYTES, Math.min(largeSlotBytes, bytes)) },
    spares,
  };
}

/** A large slot for every slot. */
export const plainShape = (largeSlots: number, bytes: number): ChannelShape => ({
  slots: largeSlots,
  smallBytes: 0,
  largeSlots,
  largeSlotBytes: Math.min(MOST_LARGE_SLOT_BYTES, inPages(bytes / largeSlots)),
});

export const capacityOf = ({ slots, smallBytes, largeSlots, largeSlotBytes }: ChannelShape): number =>
  slots * smallBytes + largeSlots * largeSlotBytes;

/** A channel's shape, and blocks besides that its consumer may keep. */
export interface SizedChannel {
  readonly shape: ChannelShape;
  readonly spares: number;
}

/** Bytes of a run's memory that one lane may hold, or the consumer: what the channels leave. */
export const laneShare = (memory: number, lanes: number): number => memory / 2 / (lanes + 1);

/** The least memory that the channels of a run fit into. */
export const leastMemory = (sizings: readonly ChannelSizing[]): number =>
  2 * allLargeSlots(sizings) * LEAST_LARGE_SLOT_BYTES;

const allLargeSlots = (sizings: readonly ChannelSizing[]): number =>
  sizings.reduce((sum, { largeSlots }) => sum + largeSlots, 0);

/** How the channels of a run share so much `memory` with its `lanes`: `leastMemory` at least. */
export function sizeChannels(sizings: readonly ChannelSizing[], memory: number, lanes: number): SizedChannel[] {
  // The other half is for elements under way in the lanes.
  const forChannels = memory / 2;
  const share = inPages(forChannels / allLargeSlots(sizings));
  // Channels have the same memory, so that many readers leave those behind them large slots that hold a batch; where that is too little for
  // the longest, large slots have the same.
  const byChannel = Math.floor(forChannels / sizings.length);
  const isEnough = sizings.every(({ largeSlots }) => inPages(byChannel / largeSlots) >= LEAST_LARGE_SLOT_BYTES);
  return sizings.map(({ largeSlots, counted, mostElements, lends }) => {
    const shape =
      counted || !isEnough
        ? plainShape(largeSlots, isEnough ? byChannel : largeSlots * share)
        : shapeOf(largeSlots, byChannel, mostElements);
    return lends ? withSpares(shape, laneShare(memory, lanes)) : { shape, spares: 0 };
  });
}

/** A run's channels and what they share. */
export interface SharedMemory {
  readonly sizings: readonly ChannelSizing[];
  readonly lanes: number;
  /** Bytes. */
  readonly memory: number;
}

/**
 * The next round number of bytes, of two digits, with which channels pass chunks of so many bytes whole, in the order of the channels; undefined where
 * no memory is enough, since a large slot has a limit.
 */
export function memoryToPassWhole(
  { sizings, lanes, memory }: SharedMemory,
  chunks: readonly number[],
): number | undefined {
  if (chunks.some(bytes => bytes > MOST_LARGE_SLOT_BYTES)) return undefined;
  const isEnough = (bytes: number): boolean =>
    sizeChannels(sizings, bytes, lanes).every(({ shape }, at) => shape.largeSlotBytes >= (chunks[at] ?? 0));
  let bytes = memory;
  while (!isEnough(bytes)) bytes = nextRound(bytes);
  return bytes;
}

/** People count in tens. */
const BASE = 10;

/** The next number above `value` that has two digits and then zeros. */
function nextRound(value: number): number {
  const step = BASE ** (Math.floor(Math.log10(value)) - 1);
  return step * (Math.floor(value / step) + 1);
}
