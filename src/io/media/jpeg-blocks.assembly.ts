/**
 * Reads blocks of coefficients: whole ones, dequantized, of sequential files; of progressive files what one scan adds to
 * them (ITU-T T.81, F.2 and G.2). Each says false where the bits make no sense.
 */
import { END_STEPS, extend, giveBack, glancePair, left, leaveBits, lookUp, next, refill, size, steps, take, word } from './jpeg-bits.assembly';
import { Component, zigzag } from './jpeg-component.assembly';

const TOP_BIT: u64 = 1 << 63;

/** Blocks that have nothing more in this scan. */
let emptyBlocks: i32 = 0;

export function restartBlocks(): void {
  emptyBlocks = 0;
}

/** The mean of a block, which is told as the difference from the one before. */
@inline
function readMean(c: Component): bool {
  if (left < 32) refill();
  const found = lookUp(c.dc, word);
  if (found === 0) return false;
  word <<= u64(found & 63);
  left -= found & 63;
  const bits = size(found);
  // Where a size is given its bits are still to be read; else they are in the entry, or there are none.
  c.level += bits !== 0 ? extend(take(bits), i32(bits)) : i32(found) >> 16;
  return true;
}

/** 0: damaged; 1: the block is nothing but its mean; 2: it is more. */
export function readBlock(c: Component, block: usize): i32 {
  const zero = i32x4.splat(0);
  for (let at: usize = 0; at < 128; at += 16) v128.store(block + at, zero);
  if (!readMean(c)) return 0;
  store<i16>(block, i16(c.level * (load<i32>(c.quantizers) >> 16)));

  const table = c.ac;
  // A step leads behind a coefficient: the quantizer is the one before.
  const first = c.quantizers - 4;
  let bits = word;
  let count = left;
  let from = next;
  let at: u32 = 1;
  let pair: u64 = 0;
  do {
    // 56 bits: what the lookup knows takes 11 of them at most, a code that it does not know and the value behind it 31.
    bits |= load<u64>(from - 7) >> u64(count);
    from -= usize((63 - count) >> 3);
    count |= 56;
    pair = glancePair(table, bits);
    if (pair !== 0) {
      // The six bits that a shift heeds are those used.
      bits <<= pair;
      count -= u32(pair) & 63;
      at = putPair(block, first, at, pair);
      if (at >= 64) break;
      pair = glancePair(table, bits);
      if (pair !== 0) {
        bits <<= pair;
        count -= u32(pair) & 63;
        at = putPair(block, first, at, pair);
        continue;
      }
    }
    const found = lookUp(table, bits);
    if (found === 0) return 0;
    bits <<= u64(found);
    count -= found & 63;
    const more = size(found);
    if (more === 0) {
      // A long code for sixteen zeros or the end of the block.
      at += steps(found) === 16 ? 16 : END_STEPS;
      continue;
    }
    at += steps(found);
    put(block, first, at, extend(i32(bits >> u64(64 - more)), i32(more)));
    bits <<= u64(more);
    count -= more;
  } while (at < 64);
  leaveBits(bits, count, from);
  if (at > 64 && at - (u32(pair >> 16) & 255) === 64) {
    // The block was full after the first of the pair: the second was of the next block.
    giveBack(u32(pair >> 24) & 255);
    return 2;
  }
  // Where the first thing after the mean was the end, nothing else was.
  if (at === 1 + END_STEPS) return 1;
  return at === 64 || at > END_STEPS ? 2 : 0;
}

/** Of a pair whose second value is none, that is put first, where the other then takes its place. */
@inline
function putPair(block: usize, first: usize, at: u32, pair: u64): u32 {
  const middle = at + (u32(pair >> 8) & 255);
  const end = middle + (u32(pair >> 16) & 255);
  put(block, first, end, i32(i64(pair) >> 48));
  put(block, first, middle, i32(i16(pair >> 32)));
  return end;
}

@inline
function put(block: usize, first: usize, at: u32, value: i32): void {
  const quantizer = load<i32>(first + (usize(at) << 2));
  store<i16>(block + usize(quantizer & 0xffff), i16(value * (quantizer >> 16)));
}

export function readMeanFirst(c: Component, block: usize, low: i32): bool {
  if (!readMean(c)) return false;
  store<i16>(block, i16(c.level << low));
  return true;
}

export function refineMean(block: usize, low: i32): bool {
  store<i16>(block, load<i16>(block) | i16(take(1) << low));
  return true;
}

export function readBand(c: Component, block: usize, start: u32, end: u32, low: i32): bool {
  if (emptyBlocks > 0) {
    emptyBlocks--;
    return true;
  }
  const table = c.ac;
  let bits = word;
  let count = left;
  let from = next;
  let at = start;
  while (at <= end) {
    bits |= load<u64>(from - 7) >> u64(count);
    from -= usize((63 - count) >> 3);
    count |= 56;
    const found = lookUp(table, bits);
    if (found === 0) return false;
    bits <<= u64(found);
    count -= found & 63;
    let value = i32(found) >> 16;
    if (value === 0) {
      const more = size(found);
      const run = steps(found) - 1;
      if (more === 0 && run < 15) {
        // As many blocks have nothing more as the next bits say, behind a 1; this is one of them.
        emptyBlocks = i32(((bits >> 1) | TOP_BIT) >> u64(63 - run)) - 1;
        bits <<= u64(run);
        count -= run;
        break;
      }
      at += run + 1;
      if (more === 0) continue;
      value = extend(i32(bits >> u64(64 - more)), i32(more));
      bits <<= u64(more);
      count -= more;
    } else {
      at += steps(found);
    }
    if (at > 64) return false;
    store<i16>(placeIn(block, at - 1), i16(value << low));
  }
  leaveBits(bits, count, from);
  return true;
}

/** One bit more of every coefficient that is there, and new ones of this bit alone. */
export function refineBand(c: Component, block: usize, start: u32, end: u32, low: i32): bool {
  const table = c.ac;
  let bits = word;
  let count = left;
  let from = next;
  for (let at = start; at <= end; at++) {
    // Where nothing new comes, everything that is there is gone through.
    let zeros: u32 = 64;
    let value = 0;
    if (emptyBlocks === 0) {
      bits |= load<u64>(from - 7) >> u64(count);
      from -= usize((63 - count) >> 3);
      count |= 56;
      const found = lookUp(table, bits);
      if (found === 0) return false;
      bits <<= u64(found);
      count -= found & 63;
      value = i32(found) >> 16;
      const run = steps(found) - 1;
      const more = size(found);
      if (value === 0 && more === 0 && run < 15) {
        emptyBlocks = i32(((bits >> 1) | TOP_BIT) >> u64(63 - run));
        bits <<= u64(run);
        count -= run;
      } else {
        zeros = run;
        if (more !== 0) {
          value = extend(i32(bits >> u64(64 - more)), i32(more));
          bits <<= u64(more);
          count -= more;
        }
        if (value > 1 || value < -1) return false;
      }
    }
    for (; at <= end; at++) {
      const place = placeIn(block, at);
      const there = i32(load<i16>(place));
      if (there === 0) {
        if (zeros-- === 0) break;
        continue;
      }
      if (count === 0) {
        bits |= load<u64>(from - 7);
        from -= 7;
        count = 56;
      }
      const bit = i32(bits >> 63) & ~(there >> low) & 1;
      bits <<= 1;
      count--;
      store<i16>(place, i16(there + ((there >> 31) | 1) * (bit << low)));
    }
    if (value === 0) continue;
    if (at > end) return false;
    store<i16>(placeIn(block, at), i16(value << low));
  }
  if (emptyBlocks > 0) emptyBlocks--;
  leaveBits(bits, count, from);
  return true;
}

@inline
function placeIn(block: usize, at: u32): usize {
  return block + (usize(load<u8>(zigzag + usize(at))) << 1);
}
