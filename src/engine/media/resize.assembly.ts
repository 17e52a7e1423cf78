/**
 * Antialiased bilinear resize of packed 8-bit RGB: a triangle filter, widened by the scale where the image shrinks, as
 * Pillow's BILINEAR. AssemblyScript; tools/wasm.mjs compiles it into resize-wasm.ts.
 *
 * For each target row, the source rows of its window are first mixed into one row of 16-bit values (a pixel times 128), and
 * that row, still in the nearest cache, is then mixed along its length. Rows go first because they need no shuffling.
 */

/** Weights of rows are Q15 and must fit 16 bits, so they sum to one step less than 1: a thousandth of a level. */
const ROW_ONE: f64 = 32767;
/** Weights of columns are Q14: a pair of products of 15-bit values stays below 2^31. */
const COLUMN_ONE: f64 = 16384;
/** Vector loads may run past the end of an area by this much. */
const SLACK: usize = 32;

let sourceWidth: i32 = 0;
let sourceHeight: i32 = 0;
let targetWidth: i32 = 0;
let targetHeight: i32 = 0;

let rowTaps: i32 = 0;
let columnTaps: i32 = 0;
let rowWindows: usize = 0;
let rowWeights: usize = 0;
let columnWindows: usize = 0;
let columnWeights: usize = 0;
let mixedRow: usize = 0;
let target: usize = 0;

function align(address: usize): usize {
  return (address + 15) & ~15;
}

/** Most source positions that one target position mixes; even, because columns are mixed in pairs. */
function taps(source: i32, target: i32): i32 {
  return (i32(ceil(2.0 * max(f64(source) / f64(target), 1.0))) + 1) & ~1;
}

/** Lays out the memory for one image, growing it where needed, and says where the source's pixels go. */
export function place(fromWidth: i32, fromHeight: i32, toWidth: i32, toHeight: i32): usize {
  sourceWidth = fromWidth;
  sourceHeight = fromHeight;
  targetWidth = toWidth;
  targetHeight = toHeight;
  rowTaps = taps(fromHeight, toHeight);
  columnTaps = taps(fromWidth, toWidth);

  rowWindows = align(__heap_base);
  rowWeights = align(rowWindows + usize(toHeight) * 8);
  columnWindows = align(rowWeights + usize(toHeight) * usize(rowTaps) * 2);
  columnWeights = align(columnWindows + usize(toWidth) * 8);
  mixedRow = align(columnWeights + usize(toWidth) * usize(columnTaps) * 2);
  target = align(mixedRow + (usize(fromWidth) + usize(columnTaps)) * 6 + SLACK);
  const source = align(target + usize(toWidth) * usize(toHeight) * 3 + SLACK);
  const end = source + usize(fromWidth) * usize(fromHeight) * 3 + SLACK;

  const pages = i32((end + 0xffff) >> 16);
  if (pages > memory.size()) memory.grow(pages - memory.size());
  return source;
}

/** A window is the first source position and the number of positions; its weights sum to exactly `one`. */
function weigh(source: i32, target: i32, stride: i32, windows: usize, weights: usize, one: f64): void {
  const scale = f64(source) / f64(target);
  const reach = max(scale, 1.0);
  for (let at = 0; at < target; at++) {
    const centre = (f64(at) + 0.5) * scale;
    const first = max(i32(centre - reach + 0.5), 0);
    // Where both ends fall on positions of weight 0, rounding may count one position too many: it is left out.
    const last = min(min(i32(centre + reach + 0.5), source), first + stride);
    let total: f64 = 0;
    for (let i = first; i < last; i++) total += triangle((f64(i) + 0.5 - centre) / reach);
    // Each rounding error is carried to the next weight; a plain area keeps its level.
    let carried: f64 = 0;
    for (let i = first; i < last; i++) {
      const exact = (triangle((f64(i) + 0.5 - centre) / reach) / total) * one + carried;
      const rounded = nearest(exact);
      carried = exact - rounded;
      store<i16>(weights + (usize(i - first) << 1), i16(rounded));
    }
    for (let i = last - first; i < stride; i++) store<i16>(weights + (usize(i) << 1), 0);
    store<i32>(windows, first);
    store<i32>(windows, last - first, 4);
    windows += 8;
    weights += usize(stride) << 1;
  }
}

function triangle(distance: f64): f64 {
  return max(1.0 - abs(distance), 0.0);
}

/** Resizes what lies at the place given and says where the target's pixels are. */
export function run(): usize {
  weigh(sourceHeight, targetHeight, rowTaps, rowWindows, rowWeights, ROW_ONE);
  weigh(sourceWidth, targetWidth, columnTaps, columnWindows, columnWeights, COLUMN_ONE);
  const source = align(target + usize(targetWidth) * usize(targetHeight) * 3 + SLACK);
  const rowBytes = usize(sourceWidth) * 3;
  let out = target;
  for (let y = 0; y < targetHeight; y++) {
    const window = rowWindows + (usize(y) << 3);
    mixRows(
      source + usize(load<i32>(window)) * rowBytes,
      rowBytes,
      load<i32>(window, 4),
      rowWeights + usize(y) * (usize(rowTaps) << 1),
    );
    out = mixColumns(out);
  }
  return target;
}

function mixRows(top: usize, rowBytes: usize, count: i32, weights: usize): void {
  const raise = i8x16.splat(i8(128));
  let out = mixedRow;
  for (let column: usize = 0; column < rowBytes; column += 16) {
    let low = i16x8.splat(0);
    let high = i16x8.splat(0);
    let pixels = top + column;
    for (let i = 0; i < count; i++) {
      const weight = v128.load_splat<i16>(weights + (usize(i) << 1));
      const bytes = v128.load(pixels);
      low = i16x8.add_sat_s(low, i16x8.q15mulr_sat_s(i16x8.extmul_low_i8x16_u(bytes, raise), weight));
      high = i16x8.add_sat_s(high, i16x8.q15mulr_sat_s(i16x8.extmul_high_i8x16_u(bytes, raise), weight));
      pixels += rowBytes;
    }
    v128.store(out, low);
    v128.store(out, high, 16);
    out += 32;
  }
}

function mixColumns(out: usize): usize {
  // Two neighbouring pixels, channel beside channel: the pairs that a dot product multiplies and adds.
  const pairs = i8x16(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, -1, -1, -1, -1);
  const half = i32x4.splat(1 << 20);
  const widest = usize(columnTaps);
  let window = columnWindows;
  let weights = columnWeights;
  for (let x = 0; x < targetWidth; x++) {
    let pixels = mixedRow + usize(load<i32>(window)) * 6;
    let sum = half;
    // Always the widest window, where the spare weights are 0: a count that varies would mislead the branch predictor.
    for (let i: usize = 0; i < widest; i += 2) {
      const pair = i8x16.swizzle(v128.load(pixels), pairs);
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(pair, v128.load_splat<i32>(weights + (i << 1))));
      pixels += 12;
    }
    const levels = i16x8.narrow_i32x4_s(i32x4.shr_s(sum, 21), sum);
    // Four bytes are written for three; the next pixel, or the slack, takes the fourth.
    store<i32>(out, i32x4.extract_lane(i8x16.narrow_i16x8_u(levels, levels), 0));
    out += 3;
    window += 8;
    weights += widest << 1;
  }
  return out;
}
