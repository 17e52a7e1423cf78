/**
 * A chunk in bytes, everything at multiples of eight:
 *
 *     count u32 · flags u32 · cloned section: offset u32, length u32
 *     where flagged: the offset of what follows, u32, and before it bytes of arrays that were made there
 *     identity (see identity.ts), where flagged
 *     one column, which may hold further columns
 *     cloned section: V8's own serialisation of what has no typed column, or of its description, read in the order of the columns that refer to it
 *
 * A column is `kind u32 · count u32` and then what its kind needs. Bytes are in the machine's own order: both ends are
 * threads of one process, or runs on the same machine that share a cache on disk.
 */
/** Goes up with every change to this layout: caches on disk are told apart by it. */
export const LAYOUT_VERSION = 3;

export const HEADER_BYTES = 16;
export const COLUMN_BYTES = 8;

export const COUNT_WORD = 0;
export const FLAGS_WORD = 1;
export const CLONED_OFFSET_WORD = 2;
export const CLONED_LENGTH_WORD = 3;
export const START_WORD = 4;

/** Where arrays that are made in a chunk may begin: a cache line. */
export const ARRAYS_OFFSET = 64;

/** Flags of the header. */
export const HAS_IDENTITY = 1;
export const SEQUENCE_IS_RUN = 2;
export const SUB_IS_ZERO = 4;
/** Arrays were made in the chunk before the rest was written. */
export const HAS_ARRAYS = 8;

/** Kinds of column. */
export const UNDEFINED = 0;
export const NULL = 1;
export const BOOLEAN = 2;
export const INT32 = 3;
export const FLOAT64 = 4;
export const BIGINT64 = 5;
export const BYTES = 6;
export const RECORD = 7;
export const LIST = 8;
export const UNION = 9;
export const CLONED = 10;
export const DESCRIBED = 11;
export const DATE = 12;
/** Bytes that lie anywhere in the chunk. */
export const SCATTERED = 13;

export function align8(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** Elements in a chunk, without decoding it. */
export function countOf(bytes: Uint8Array): number {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[COUNT_WORD] as number;
}
