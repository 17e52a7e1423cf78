/**
 * Arrays of a given length to be filled by index. `new Array(n)` is marked as having holes for ever, which slows every loop that
 * reads it later; a copy of a full array is not, and is as quick to make.
 */
const LONGEST_KEPT = 2 ** 17;

const ints: number[] = [];
const doubles: number[] = [];
const slots: unknown[] = [];

function copyOf<T>(model: T[], filler: T, length: number): T[] {
  if (length > LONGEST_KEPT) {
    const long = model.slice(0, 1);
    while (long.length < length) long.push(filler);
    return long;
  }
  while (model.length < length) model.push(filler);
  return model.slice(0, length);
}

/** Elements kind: small integers. */
export function packedInts(length: number): number[] {
  return copyOf(ints, 0, length);
}

/** Elements kind: unboxed doubles. */
export function packedDoubles(length: number): number[] {
  return copyOf(doubles, 0.5, length);
}

/** Elements kind: any value. */
export function packedSlots(length: number): unknown[] {
  return copyOf<unknown>(slots, undefined, length);
}
