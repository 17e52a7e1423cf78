/** Makes packed RGB of the components of one row, bit for bit as libjpeg does, and of four colours as Pillow does. */
import { high, low, packed } from './jpeg-transform.assembly';

export function fromGrey(grey: usize, out: usize, width: i32): void {
  for (let x: usize = 0; x < usize(width); x += 16) {
    const levels = v128.load(grey + x);
    storeRgb(levels, levels, levels, out);
    out += 48;
  }
}

export function fromRgb(red: usize, green: usize, blue: usize, out: usize, width: i32): void {
  for (let x: usize = 0; x < usize(width); x += 16) {
    storeRgb(v128.load(red + x), v128.load(green + x), v128.load(blue + x), out);
    out += 48;
  }
}

/** The constants are ITU-R BT.601's, less what is added as a whole. */
export function fromYcc(luma: usize, blue: usize, red: usize, out: usize, width: i32): void {
  const centre = i8x16.splat(-128);
  for (let x: usize = 0; x < usize(width); x += 16) {
    const y = v128.load(luma + x);
    const cb = v128.xor(v128.load(blue + x), centre);
    const cr = v128.xor(v128.load(red + x), centre);
    const y0 = i16x8.extend_low_i8x16_u(y);
    const y1 = i16x8.extend_high_i8x16_u(y);
    const cb0 = i16x8.extend_low_i8x16_s(cb);
    const cb1 = i16x8.extend_high_i8x16_s(cb);
    const cr0 = i16x8.extend_low_i8x16_s(cr);
    const cr1 = i16x8.extend_high_i8x16_s(cr);
    storeRgb(
      i8x16.narrow_i16x8_u(i16x8.add(y0, redOf(cr0)), i16x8.add(y1, redOf(cr1))),
      i8x16.narrow_i16x8_u(i16x8.add(y0, greenOf(cb0, cr0)), i16x8.add(y1, greenOf(cb1, cr1))),
      i8x16.narrow_i16x8_u(i16x8.add(y0, blueOf(cb0)), i16x8.add(y1, blueOf(cb1))),
      out,
    );
    out += 48;
  }
}

/** Takes black away. Of cyan, magenta and yellow files keep the inverse; where they keep them as YCC, what that makes is it again. */
export function darken(out: usize, black: usize, width: i32, again: bool): void {
  const end = out + usize(width) * 3;
  for (; out < end; out += 3) {
    const light = i32(load<u8>(black++));
    for (let at = out; at < out + 3; at++) {
      const level = i32(load<u8>(at));
      const product = (again ? level : 255 - level) * light + 128;
      store<u8>(at, u8(max(light - (((product >> 8) + product) >> 8), 0)));
    }
  }
}

/**
 * (91881 x cr + 2^15) >> 16. 91881 is 65536 and 26345, half of which is rounded here: for all 256 values of a colour the result is
 * the same.
 */
@inline
function redOf(cr: v128): v128 {
  return i16x8.add(cr, i16x8.q15mulr_sat_s(cr, i16x8.splat(13173)));
}

/** (116130 x cb + 2^15) >> 16, likewise. */
@inline
function blueOf(cb: v128): v128 {
  return i16x8.add(i16x8.shl(cb, 1), i16x8.q15mulr_sat_s(cb, i16x8.splat(-7471)));
}

/** (-22554 x cb - 46802 x cr + 2^15) >> 16. */
@inline
function greenOf(cb: v128, cr: v128): v128 {
  const factors = i32x4.splat((-22554 & 0xffff) | (18734 << 16));
  const half = i32x4.splat(32768);
  return i16x8.sub(
    packed(
      i32x4.add(i32x4.dot_i16x8_s(low(cb, cr), factors), half),
      i32x4.add(i32x4.dot_i16x8_s(high(cb, cr), factors), half),
      16,
    ),
    cr,
  );
}

/** 16 pixels. What is past the end of a row, the next one takes the place of. */
@inline
function storeRgb(r: v128, g: v128, b: v128, out: usize): void {
  const rg0 = v128.shuffle<i8>(r, g, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
  const rg1 = v128.shuffle<i8>(r, g, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
  const rg2 = v128.shuffle<i8>(r, g, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
  v128.store(out, v128.shuffle<i8>(rg0, b, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15));
  v128.store(out, v128.shuffle<i8>(rg1, b, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15), 16);
  v128.store(out, v128.shuffle<i8>(rg2, b, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31), 32);
}
