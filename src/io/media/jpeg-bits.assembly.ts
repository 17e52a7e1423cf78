/**
 * The bits of a scan and the Huffman codes in them. A code is looked up together with the bits behind it where those fit: most
 * coefficients then cost one load.
 */

/** What the end of a block counts as: more than any coefficients that come after each other. */
export const END_STEPS: u32 = 128;

/** Codes up to this long are looked up at once. */
const LOOK = 11;
const LOOKUP_BYTES: usize = 4 << LOOK;
const PAIRS_BYTES: usize = 8 << LOOK;
/**
 * A Huffman table: the lookup, that of pairs, then for each length the first code beyond it and where its values begin, then the
 * values.
 */
const PAIRS: usize = LOOKUP_BYTES;
const LIMITS: usize = PAIRS + PAIRS_BYTES;
const OFFSETS: usize = LIMITS + 18 * 4;
const VALUES: usize = OFFSETS + 18 * 4;
export const TABLE_BYTES: usize = VALUES + 256;

/** The scan up to its next marker without stuffed bytes, last byte first: a little-endian load then has its first bit on top. */
export let streamTop: usize = 0;
let streamBits: usize = 0;

/** The next bits, the first on top; how many of them count; and the first byte of the stream that is not among those. */
export let word: u64 = 0;
export let left: u32 = 0;
export let next: usize = 0;

export function setStreamTop(address: usize): void {
  streamTop = address;
}

/** Leaves the bits where a loop that had them in variables of its own has come to. */
@inline
export function leaveBits(toWord: u64, toLeft: u32, toNext: usize): void {
  word = toWord;
  left = toLeft;
  next = toNext;
}

/** Makes at least 56 bits count. */
@inline
export function refill(): void {
  word |= load<u64>(next - 7) >> u64(left);
  next -= usize((63 - left) >> 3);
  left |= 56;
}

/** The next bits as a number, at most 16. */
@inline
export function take(count: u32): i32 {
  if (count === 0) return 0;
  if (left < 32) refill();
  const bits = i32(word >> u64(64 - count));
  word <<= u64(count);
  left -= count;
  return bits;
}

/** Makes bits count again that were taken. */
export function giveBack(count: u32): void {
  const at = ((streamTop - next) << 3) - usize(left + count);
  next = streamTop - (at >> 3);
  const begun = u32(at & 7);
  word = load<u64>(next - 7) << u64(begun);
  next -= 7;
  left = 56 - begun;
}

/** Whether more bits were read than the stream has. */
@inline
export function isOverrun(): bool {
  return ((streamTop - next) << 3) > streamBits + usize(left);
}

/** Brings the bytes up to the next marker into the stream; says where that marker's code is, or the end. */
export function unstuff(from: usize, end: usize): usize {
  const reversed = i8x16(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const marker = i8x16.splat(-1);
  let to = streamTop;
  while (from < end) {
    if (from + 16 <= end) {
      const bytes = v128.load(from);
      if (!v128.any_true(i8x16.eq(bytes, marker))) {
        v128.store(to - 15, i8x16.swizzle(bytes, reversed));
        from += 16;
        to -= 16;
        continue;
      }
    }
    const byte = load<u8>(from++);
    if (byte === 0xff) {
      // Fill bytes may stand before a marker, and before the zero that says that there is none.
      while (from < end && load<u8>(from) === 0xff) from++;
      if (from >= end || load<u8>(from) !== 0) break;
      from++;
    }
    store<u8>(to, byte);
    to--;
  }
  // What is read past the end is zeros.
  v128.store(to - 15, i8x16.splat(0));
  v128.store(to - 31, i8x16.splat(0));
  streamBits = (streamTop - to) << 3;
  word = 0;
  left = 0;
  next = streamTop;
  return from;
}

/** Where the values of a Huffman table go, at most 256. */
@inline
export function valuesOf(table: usize): usize {
  return table + VALUES;
}

/** One length of a Huffman table after the other, from 1 to 16: how many codes there are of it, and the first of them. */
export function setCodes(table: usize, length: i32, count: i32, first: i32, before: i32): void {
  if (length === 1) memory.fill(table, 0, LOOKUP_BYTES);
  // Left-aligned in 16 bits, so that codes of all lengths compare.
  store<i32>(table + LIMITS + (usize(length) << 2), (first + count) << (16 - length));
  store<i32>(table + OFFSETS + (usize(length) << 2), before - first);
  if (length > LOOK) return;
  const spare = LOOK - length;
  for (let i = 0; i < count; i++) {
    const symbol = i32(load<u8>(table + VALUES + usize(before + i)));
    const start = (first + i) << spare;
    for (let rest = 0; rest < 1 << spare; rest++) {
      store<u32>(table + (usize(start + rest) << 2), entry(symbol, length, rest, spare));
    }
  }
}

/**
 * Six bits: the bits used. Five: the zeros before the value, and the value itself. Four: bits of it still to be read. Sixteen: the
 * value, where all of its bits are known; it is never 0 then.
 */
function entry(symbol: i32, length: i32, rest: i32, spare: i32): u32 {
  const size = symbol & 15;
  const steps = (symbol >> 4) + 1;
  if (size === 0 || size > spare) return length | (steps << 6) | (size << 11);
  const value = extend(rest >> (spare - size), size);
  return (length + size) | (steps << 6) | (value << 16);
}

/**
 * Makes the lookup of pairs, for sequential files: eight bits for the bits used, eight for the steps to the first value, eight for
 * those from there to the second, eight for the bits that only the second uses, and the two values. What is no value (sixteen zeros, the end of a block, none)
 * is a 0 where one is already, or outside the block. 0: not even the first is known.
 */
export function setPairs(table: usize): void {
  for (let index = 0; index < 1 << LOOK; index++) {
    const first = load<u32>(table + (usize(index) << 2));
    let pair: u64 = 0;
    if (isKnown(first)) {
      const used = first & 63;
      const firstSteps = stepsToNext(first);
      pair = u64(used) | (u64(firstSteps) << 8) | (u64(first >> 16) << 32);
      const second = load<u32>(table + (usize((index << used) & ((1 << LOOK) - 1)) << 2));
      if (firstSteps < END_STEPS && isKnown(second) && used + (second & 63) <= u32(LOOK)) {
        const more = u64(second & 63);
        pair += more | (u64(stepsToNext(second)) << 16) | (more << 24) | (u64(second >> 16) << 48);
      }
    }
    store<u64>(table + PAIRS + (usize(index) << 3), pair);
  }
}

/** Whether an entry is all there is to know. */
function isKnown(found: u32): bool {
  return found !== 0 && size(found) === 0;
}

function stepsToNext(found: u32): u32 {
  return found >> 16 !== 0 || steps(found) === 16 ? steps(found) : END_STEPS;
}

/** The entry for a code too long for the lookup; 0: there is no such code. */
function longCode(table: usize, bits: u64): u32 {
  const code = i32(bits >> 48);
  for (let length = LOOK + 1; length <= 16; length++) {
    if (code < load<i32>(table + LIMITS + (usize(length) << 2))) {
      const at = (code >> (16 - length)) + load<i32>(table + OFFSETS + (usize(length) << 2));
      const symbol = i32(load<u8>(table + VALUES + usize(at & 255)));
      return length | (((symbol >> 4) + 1) << 6) | ((symbol & 15) << 11);
    }
  }
  return 0;
}

@inline
export function glancePair(table: usize, bits: u64): u64 {
  return load<u64>(table + PAIRS + (usize(bits >> (64 - LOOK)) << 3));
}

/** The entry for what the bits begin with; 0: damaged. */
@inline
export function lookUp(table: usize, bits: u64): u32 {
  const found = load<u32>(table + (usize(bits >> (64 - LOOK)) << 2));
  return found !== 0 ? found : longCode(table, bits);
}

@inline
export function steps(found: u32): u32 {
  return (found >> 6) & 31;
}

@inline
export function size(found: u32): u32 {
  return (found >> 11) & 15;
}

/** Values whose top bit is 0 are negative. */
@inline
export function extend(bits: i32, size: i32): i32 {
  return bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;
}
