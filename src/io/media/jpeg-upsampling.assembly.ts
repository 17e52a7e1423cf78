/** Brings components to the size of the image, bit for bit as libjpeg does by default ("fancy upsampling"). */
import { Component } from './jpeg-component.assembly';

/** Where one row of a component is, as wide as the image; `sums` is room for a row of 16-bit numbers. */
export function upsampled(c: Component, y: i32, sums: usize): usize {
  const across = c.across;
  const down = c.down;
  const row = down === 1 ? y : down === 2 ? y >> 1 : y / down;
  const near = c.plane + usize(row) * c.stride;
  if (across === 1 && down === 1) return near;
  // libjpeg smooths nothing sideways where there are only one or two samples, nor between rows that are not two to one.
  const smooth = down <= 2 && (across === 1 || (across === 2 && c.columns > 2));
  if (!smooth) {
    repeat(near, c.wide, c.columns, across);
    return c.wide;
  }
  const far = c.plane + usize(min(max((y & 1) === 1 ? row + 1 : row - 1, 0), c.rows - 1)) * c.stride;
  if (across === 1) between(near, far, c.wide, c.columns, (y & 1) === 1);
  else if (down === 1) widen(near, near, c.wide, c.columns, sums, false);
  else widen(near, far, c.wide, c.columns, sums, true);
  return c.wide;
}

/** Every sample so many times. */
function repeat(from: usize, out: usize, columns: i32, times: i32): void {
  for (let x = 0; x < columns; x++) {
    const sample = load<u8>(from + usize(x));
    for (let i = 0; i < times; i++) store<u8>(out++, sample);
  }
}

/** A row between two, of which the nearer counts three times as much. */
function between(near: usize, far: usize, out: usize, columns: i32, lower: bool): void {
  const three = i16x8.splat(3);
  const round = i16x8.splat(lower ? 2 : 1);
  for (let x: usize = 0; x < usize(columns); x += 8) {
    const sum = i16x8.add(i16x8.mul(v128.load_ext<u8>(near + x), three), v128.load_ext<u8>(far + x));
    const samples = i16x8.shr_u(i16x8.add(sum, round), 2);
    v128.store_lane<i64>(out + x, i8x16.narrow_i16x8_u(samples, samples), 0);
  }
}

/** One row of half width to full width, from two rows where it is `tall`: the nearer samples count three times as much. */
@inline
function widen(near: usize, far: usize, out: usize, columns: i32, sums: usize, tall: bool): void {
  const start = sums + 16;
  const three = i16x8.splat(3);
  for (let x: usize = 0; x < usize(columns); x += 8) {
    const samples = v128.load_ext<u8>(near + x);
    store<v128>(start + x * 2, tall ? i16x8.add(i16x8.mul(samples, three), v128.load_ext<u8>(far + x)) : samples);
  }
  store<i16>(start - 2, load<i16>(start));
  const last = start + usize(columns) * 2;
  store<i16>(last, load<i16>(last - 2));
  const shift = tall ? 4 : 2;
  const left = i16x8.splat(tall ? 8 : 1);
  const right = i16x8.splat(tall ? 7 : 2);
  for (let x: usize = 0; x < usize(columns); x += 8) {
    const at = start + x * 2;
    const here = i16x8.mul(v128.load(at), three);
    const first = i16x8.shr_u(i16x8.add(i16x8.add(here, v128.load(at - 2)), left), shift);
    const second = i16x8.shr_u(i16x8.add(i16x8.add(here, v128.load(at + 2)), right), shift);
    v128.store(out + x * 2, v128.or(first, i16x8.shl(second, 8)));
  }
}
