/**
 * Antialiased bilinear resize of packed 8-bit RGB, bit for bit as Pillow's BILINEAR: a triangle filter, widened by the scale
 * where the image shrinks; columns are mixed first and rounded to 8 bits, then rows, with weights of 22 bits. Of the
 * target only a part may be wanted, mirrored or not, as bytes or as planes of floats: what lies outside is never
 * computed. AssemblyScript; tools/wasm.mjs compiles it into resize-wasm.ts.
 */

const WEIGHT_BITS = 22;
/** A weight is two halves of at most 12 bits, so that a dot product of 16-bit lanes multiplies pairs of them exactly. */
const HALF_BITS = 11;
const ONE: f64 = f64(1 << WEIGHT_BITS);
/** Vector loads may run past the end of an area by this much. */
const SLACK: usize = 32;

let sourceWidth: i32 = 0;
let sourceHeight: i32 = 0;
let partWidth: i32 = 0;
let partHeight: i32 = 0;

/** Pairs of positions that each window of weights has room for. */
let columnPairs: i32 = 0;
let rowPairs: i32 = 0;
let columnWindows: usize = 0;
let columnWeights: usize = 0;
let rowWindows: usize = 0;
let rowWeights: usize = 0;
/** The source's rows with their columns mixed, as far as the part needs them. */
let mixed: usize = 0;
let mixedStride: usize = 0;
let row: usize = 0;
let levels: usize = 0;
let target: usize = 0;
let source: usize = 0;

function align(address: usize): usize {
  return (address + 15) & ~15;
}

/** Most pairs of source positions that one target position mixes. */
function pairs(from: i32, to: i32): i32 {
  return (i32(ceil(2.0 * max(f64(from) / f64(to), 1.0))) + 2) >> 1;
}

/**
 * Lays out the memory for one image, growing it where needed, and works out the weights. The part starts at column `x` and
 * row `y` of the target. Says where the source's pixels go.
 */
export function place(
  fromWidth: i32, fromHeight: i32, toWidth: i32, toHeight: i32, x: i32, y: i32, width: i32, height: i32, float: bool,
): usize {
  sourceWidth = fromWidth;
  sourceHeight = fromHeight;
  partWidth = width;
  partHeight = height;
  columnPairs = pairs(fromWidth, toWidth);
  rowPairs = pairs(fromHeight, toHeight);

  columnWindows = align(__heap_base);
  columnWeights = align(columnWindows + (usize(width) << 3));
  rowWindows = align(columnWeights + ((usize(width) * usize(columnPairs)) << 3));
  rowWeights = align(rowWindows + (usize(height) << 3));
  levels = align(rowWeights + ((usize(height) * usize(rowPairs)) << 3));
  row = align(levels + 3 * 256 * 4);
  mixedStride = align(usize(width) * 3 + 1);
  mixed = align(row + mixedStride + SLACK);
  // All windows are read as wide as the widest, past the last row too, with weights of 0.
  target = align(mixed + mixedStride * usize(fromHeight + 2 * rowPairs + 3) + SLACK);
  source = align(target + usize(width) * usize(height) * (float ? 12 : 3) + SLACK);
  // Rows are taken by four: up to three past the last.
  const end = source + usize(fromWidth) * usize(fromHeight + 3) * 3 + SLACK + usize(columnPairs) * 6;

  const pages = i32((end + 0xffff) >> 16);
  if (pages > memory.size()) memory.grow(pages - memory.size());
  columnPairs = weigh(fromWidth, toWidth, x, width, columnPairs, columnWindows, columnWeights);
  rowPairs = weigh(fromHeight, toHeight, y, height, rowPairs, rowWindows, rowWeights);
  return source;
}

/** Where to put the 3 x 256 floats that stand for the levels of each channel. */
export function levelsAt(): usize {
  return levels;
}

/**
 * Windows of the positions [from, from + count): the first source position and the number of them. Weights lie in pairs, the
 * upper halves of both before the lower ones. Gives how many pairs the widest window needs; all take that many.
 */
function weigh(size: i32, targetSize: i32, from: i32, count: i32, room: i32, windows: usize, weights: usize): i32 {
  const scale = f64(size) / f64(targetSize);
  const reach = max(scale, 1.0);
  const narrowing = 1.0 / reach;
  let widest = 0;
  for (let at = 0; at < count; at++) {
    const centre = (f64(from + at) + 0.5) * scale;
    const first = max(i32(centre - reach + 0.5), 0);
    const positions = min(i32(centre + reach + 0.5), size) - first;
    store<i32>(windows + (usize(at) << 3), first);
    store<i32>(windows + (usize(at) << 3), positions, 4);
    widest = max(widest, positions);
  }
  const used = min((widest + 1) >> 1, room);
  for (let at = 0; at < count; at++) {
    const centre = (f64(from + at) + 0.5) * scale;
    const first = load<i32>(windows + (usize(at) << 3));
    const positions = load<i32>(windows + (usize(at) << 3), 4);
    let total: f64 = 0;
    for (let i = 0; i < positions; i++) total += triangle(first, i, centre, narrowing);
    for (let i = 0; i < used * 2; i++) {
      const weight = i < positions ? i32(0.5 + (triangle(first, i, centre, narrowing) / total) * ONE) : 0;
      const place = weights + (usize(i >> 1) << 3) + (usize(i & 1) << 1);
      store<i16>(place, i16(weight >> HALF_BITS));
      store<i16>(place, i16(weight & ((1 << HALF_BITS) - 1)), 4);
    }
    weights += usize(used) << 3;
  }
  return used;
}

function triangle(first: i32, i: i32, centre: f64, narrowing: f64): f64 {
  return max(1.0 - abs((f64(i + first) - centre + 0.5) * narrowing), 0.0);
}

/** Resizes what lies at the place given and says where the target is: bytes, or three planes of floats. */
export function run(mirrored: bool, float: bool): usize {
  const first = load<i32>(rowWindows);
  const last = rowWindows + (usize(partHeight - 1) << 3);
  const end = load<i32>(last) + load<i32>(last, 4);
  for (let y = first; y < end; y += 4) {
    mixColumns(source + usize(y) * usize(sourceWidth) * 3, mixed + usize(y - first) * mixedStride);
  }
  for (let y = 0; y < partHeight; y++) {
    const top = load<i32>(rowWindows + (usize(y) << 3)) - first;
    const weights = rowWeights + ((usize(y) * usize(rowPairs)) << 3);
    // The next row, or the slack, takes what is written past the end of this one.
    const straight = !mirrored && !float;
    const out = straight ? target + usize(y) * usize(partWidth) * 3 : row;
    mixRows(mixed + usize(top) * mixedStride, weights, out);
    if (float) spread(y, mirrored);
    else if (mirrored) mirror(target + usize(y) * usize(partWidth) * 3);
  }
  return target;
}

/** Four rows at a time: they share their weights. */
function mixColumns(row0: usize, out: usize): void {
  // Two neighbouring pixels, channel beside channel, widened to 16 bits: the pairs that a dot product multiplies and adds.
  const near = i8x16(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1);
  const stride = usize(sourceWidth) * 3;
  const row1 = row0 + stride;
  const row2 = row1 + stride;
  const row3 = row2 + stride;
  const outStride = mixedStride;
  const half = i32x4.splat(1 << (WEIGHT_BITS - 1));
  const bytes = usize(columnPairs) * 6;
  const windowsEnd = columnWindows + (usize(partWidth) << 3);
  let weights = columnWeights;
  for (let window = columnWindows; window < windowsEnd; window += 8) {
    let high0 = i32x4.splat(0);
    let high1 = high0;
    let high2 = high0;
    let high3 = high0;
    let low0 = half;
    let low1 = half;
    let low2 = half;
    let low3 = half;
    let at = usize(load<i32>(window)) * 3;
    for (const end = at + bytes; at < end; at += 6) {
      const upper = v128.load_splat<i32>(weights);
      const lower = v128.load_splat<i32>(weights, 4);
      const p0 = i8x16.swizzle(v128.load_zero<i64>(row0 + at), near);
      const p1 = i8x16.swizzle(v128.load_zero<i64>(row1 + at), near);
      const p2 = i8x16.swizzle(v128.load_zero<i64>(row2 + at), near);
      const p3 = i8x16.swizzle(v128.load_zero<i64>(row3 + at), near);
      high0 = i32x4.add(high0, i32x4.dot_i16x8_s(p0, upper));
      high1 = i32x4.add(high1, i32x4.dot_i16x8_s(p1, upper));
      high2 = i32x4.add(high2, i32x4.dot_i16x8_s(p2, upper));
      high3 = i32x4.add(high3, i32x4.dot_i16x8_s(p3, upper));
      low0 = i32x4.add(low0, i32x4.dot_i16x8_s(p0, lower));
      low1 = i32x4.add(low1, i32x4.dot_i16x8_s(p1, lower));
      low2 = i32x4.add(low2, i32x4.dot_i16x8_s(p2, lower));
      low3 = i32x4.add(low3, i32x4.dot_i16x8_s(p3, lower));
      weights += 8;
    }
    const pixels = i8x16.narrow_i16x8_u(
      i16x8.narrow_i32x4_s(whole(high0, low0), whole(high1, low1)),
      i16x8.narrow_i32x4_s(whole(high2, low2), whole(high3, low3)),
    );
    // Four bytes are written for three; the next pixel, or the slack, takes the fourth.
    v128.store_lane<i32>(out, pixels, 0);
    v128.store_lane<i32>(out + outStride, pixels, 1);
    v128.store_lane<i32>(out + outStride * 2, pixels, 2);
    v128.store_lane<i32>(out + outStride * 3, pixels, 3);
    out += 3;
  }
}

function mixRows(top: usize, weights: usize, out: usize): void {
  const half = i32x4.splat(1 << (WEIGHT_BITS - 1));
  const bytes = usize(partWidth) * 3;
  const pairStride = mixedStride * 2;
  for (let column: usize = 0; column < bytes; column += 16) {
    let high0 = i32x4.splat(0);
    let high1 = high0;
    let high2 = high0;
    let high3 = high0;
    let low0 = half;
    let low1 = half;
    let low2 = half;
    let low3 = half;
    let pixels = top + column;
    for (let pair = 0; pair < rowPairs; pair++) {
      const a = v128.load(pixels);
      const b = v128.load(pixels + mixedStride);
      const upper = v128.load_splat<i32>(weights + (usize(pair) << 3));
      const lower = v128.load_splat<i32>(weights + (usize(pair) << 3), 4);
      const front = v128.shuffle<i8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const back = v128.shuffle<i8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
      const p0 = i16x8.extend_low_i8x16_u(front);
      const p1 = i16x8.extend_high_i8x16_u(front);
      const p2 = i16x8.extend_low_i8x16_u(back);
      const p3 = i16x8.extend_high_i8x16_u(back);
      high0 = i32x4.add(high0, i32x4.dot_i16x8_s(p0, upper));
      high1 = i32x4.add(high1, i32x4.dot_i16x8_s(p1, upper));
      high2 = i32x4.add(high2, i32x4.dot_i16x8_s(p2, upper));
      high3 = i32x4.add(high3, i32x4.dot_i16x8_s(p3, upper));
      low0 = i32x4.add(low0, i32x4.dot_i16x8_s(p0, lower));
      low1 = i32x4.add(low1, i32x4.dot_i16x8_s(p1, lower));
      low2 = i32x4.add(low2, i32x4.dot_i16x8_s(p2, lower));
      low3 = i32x4.add(low3, i32x4.dot_i16x8_s(p3, lower));
      pixels += pairStride;
    }
    const first = i16x8.narrow_i32x4_s(whole(high0, low0), whole(high1, low1));
    const second = i16x8.narrow_i32x4_s(whole(high2, low2), whole(high3, low3));
    v128.store(out + column, i8x16.narrow_i16x8_u(first, second));
  }
}

function whole(high: v128, low: v128): v128 {
  return i32x4.shr_s(i32x4.add(i32x4.shl(high, HALF_BITS), low), WEIGHT_BITS);
}

/** The row goes out with left and right exchanged. */
function mirror(out: usize): void {
  let to = out + usize(partWidth - 1) * 3;
  const end = row + usize(partWidth) * 3;
  for (let from = row; from < end; from += 3) {
    store<u8>(to, load<u8>(from));
    store<u8>(to, load<u8>(from, 1), 1);
    store<u8>(to, load<u8>(from, 2), 2);
    to -= 3;
  }
}

/** The row's levels go out as floats, each channel to its own plane: (level / 255 - mean) / std, as a table of them says. */
function spread(y: i32, mirrored: bool): void {
  const plane = (usize(partWidth) * usize(partHeight)) << 2;
  const start = target + ((usize(y) * usize(partWidth)) << 2);
  const end = row + usize(partWidth) * 3;
  const step: usize = mirrored ? -4 : 4;
  let red = mirrored ? start + (usize(partWidth - 1) << 2) : start;
  for (let from = row; from < end; from += 3) {
    store<f32>(red, load<f32>(levels + (usize(load<u8>(from)) << 2)));
    store<f32>(red + plane, load<f32>(levels + (usize(load<u8>(from, 1)) << 2), 1024));
    store<f32>(red + plane * 2, load<f32>(levels + (usize(load<u8>(from, 2)) << 2), 2048));
    red += step;
  }
}
