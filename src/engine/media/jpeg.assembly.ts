/**
 * Decodes the scan of a baseline JPEG to packed 8-bit RGB, bit for bit as libjpeg does by default and with it Pillow and
 * torchvision: the accurate integer DCT (its "islow"), fancy upsampling, 16-bit fixed-point colours. jpeg-scan.ts has read
 * the headers before. AssemblyScript; tools/wasm.mjs compiles it into jpeg-wasm.ts. Long, but one
 * thing: all steps share one layout of memory, and a module is compiled from a single source.
 */

/** Codes up to this long are looked up at once, with the bits behind them where those fit too. */
const LOOK = 11;
const TABLE_BYTES: usize = 4 << LOOK;
/** A Huffman table: the lookup, then for each length the first code beyond it and where its values begin, then the values. */
const LIMITS: usize = TABLE_BYTES;
const OFFSETS: usize = LIMITS + 18 * 4;
const VALUES: usize = OFFSETS + 18 * 4;
const HUFFMAN_BYTES: usize = VALUES + 256;
const SLACK: usize = 64;

/** Per component: 64 words in the file's zigzag order, each a quantizer above and the place in the block below. */
let quantizers: usize = 0;
/** Per component and kind (0: DC, 1: AC). */
let huffman: usize = 0;
let block: usize = 0;
let scan: usize = 0;
let scanEnd: usize = 0;
/** The scan without stuffed bytes, last byte first: a little-endian load then has its first bit on top. */
let streamTop: usize = 0;
let streamBits: u32 = 0;
let bit: u32 = 0;
let broken: bool = false;

let width: i32 = 0;
let height: i32 = 0;
let components: i32 = 0;
let across: i32 = 0;
let down: i32 = 0;
let unitsAcross: i32 = 0;
let unitsDown: i32 = 0;
let planes: usize = 0;
let lumaStride: usize = 0;
let chromaStride: usize = 0;
let chromaBytes: usize = 0;
/** Rows of colour brought to full width, and the sums of two rows on the way there. */
let blueRow: usize = 0;
let redRow: usize = 0;
let sums: usize = 0;
let pixels: usize = 0;

const level = memory.data<i32>([0, 0, 0]);
const zigzag = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42,
  49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
]);

function align(address: usize): usize {
  return (address + 15) & ~15;
}

/**
 * Lays out the memory for one image. The first component has `h` x `v` samples for each of the others'. Says where the scan's
 * bytes go; 0: there is no memory for it.
 */
export function place(imageWidth: i32, imageHeight: i32, count: i32, h: i32, v: i32, scanBytes: i32): usize {
  width = imageWidth;
  height = imageHeight;
  components = count;
  across = h;
  down = v;
  unitsAcross = (width + 8 * h - 1) / (8 * h);
  unitsDown = (height + 8 * v - 1) / (8 * v);
  lumaStride = usize(unitsAcross * 8 * h);
  chromaStride = usize(unitsAcross * 8);
  chromaBytes = chromaStride * usize(unitsDown * 8);

  quantizers = align(__heap_base);
  huffman = quantizers + 3 * 64 * 4;
  block = align(huffman + 6 * HUFFMAN_BYTES);
  blueRow = align(block + 128);
  redRow = align(blueRow + lumaStride + SLACK);
  sums = align(redRow + lumaStride + SLACK);
  planes = align(sums + chromaStride * 2 + 2 * SLACK);
  const lumaBytes = lumaStride * usize(unitsDown * 8 * v);
  const stream = align(planes + lumaBytes + (count > 1 ? 2 * chromaBytes : 0) + SLACK);
  streamTop = stream + usize(scanBytes) + SLACK;
  scan = align(streamTop + SLACK);
  scanEnd = scan + usize(scanBytes);
  pixels = align(scanEnd + SLACK);
  const end = pixels + usize(width) * usize(height) * 3 + SLACK;
  const pages = i32((end + 0xffff) >> 16);
  if (pages > memory.size() && memory.grow(pages - memory.size()) < 0) return 0;
  return scan;
}

/** Takes the 64 quantizers of a component, in zigzag order. */
export function quantizer(component: i32, at: i32, value: i32): void {
  store<u32>(
    quantizers + (usize(component * 64 + at) << 2),
    (value << 16) | (i32(load<u8>(zigzag + usize(at))) << 1),
  );
}

/** Where the values of a Huffman table go, at most 256. */
export function valuesAt(component: i32, kind: i32): usize {
  return huffman + usize(component * 2 + kind) * HUFFMAN_BYTES + VALUES;
}

/** One length of a Huffman table after the other, from 1 to 16: how many codes there are of it, and the first of them. */
export function codes(component: i32, kind: i32, length: i32, count: i32, first: i32, before: i32): void {
  const table = huffman + usize(component * 2 + kind) * HUFFMAN_BYTES;
  if (length === 1) memory.fill(table, 0, TABLE_BYTES);
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

/** Bits used, zeros before the value, bits of it still to be read, and the value where all of its bits are known. */
function entry(symbol: i32, length: i32, rest: i32, spare: i32): u32 {
  const size = symbol & 15;
  const run = symbol >> 4;
  if (size === 0 || size > spare) return length | (run << 8) | (size << 12);
  const value = extend(rest >> (spare - size), size);
  return (length + size) | (run << 8) | (value << 16);
}

/** Values whose top bit is 0 are negative. */
@inline
function extend(bits: i32, size: i32): i32 {
  return bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;
}

@inline
function peek(): u64 {
  return load<u64>(streamTop - 7 - usize(bit >> 3)) << u64(bit & 7);
}

/** A code too long for the lookup. */
function longCode(table: usize, word: u64): u32 {
  const code = i32(word >> 48);
  for (let length = LOOK + 1; length <= 16; length++) {
    if (code < load<i32>(table + LIMITS + (usize(length) << 2))) {
      const at = (code >> (16 - length)) + load<i32>(table + OFFSETS + (usize(length) << 2));
      const symbol = i32(load<u8>(table + VALUES + usize(at & 255)));
      return length | ((symbol >> 4) << 8) | ((symbol & 15) << 12);
    }
  }
  broken = true;
  return 1;
}

/** Reads a block and dequantizes it; true where it has nothing but its mean. */
function readBlock(component: i32): bool {
  const dc = huffman + usize(component * 2) * HUFFMAN_BYTES;
  const ac = dc + HUFFMAN_BYTES;
  const quantizer = quantizers + (usize(component) << 8);
  const zero = i32x4.splat(0);
  for (let at: usize = 0; at < 128; at += 16) v128.store(block + at, zero);

  let word = peek();
  let found = load<u32>(dc + (usize(word >> (64 - LOOK)) << 2));
  if (found === 0) found = longCode(dc, word);
  let used = found & 255;
  // A symbol of a DC table is a size alone, up to 11 in 8-bit files.
  let size = (found >> 12) & 15;
  let value = i32(found) >> 16;
  if (size !== 0) {
    value = extend(i32((word << u64(used)) >> u64(64 - size)), i32(size));
    used += size;
  }
  bit += used;
  const mean = level + (usize(component) << 2);
  value += load<i32>(mean);
  store<i32>(mean, value);
  store<i16>(block, i16(value * (load<i32>(quantizer) >> 16)));

  const top = streamTop - 7;
  let position = bit;
  let at: u32 = 1;
  let plain = true;
  while (at < 64) {
    word = load<u64>(top - usize(position >> 3)) << u64(position & 7);
    found = load<u32>(ac + (usize(word >> (64 - LOOK)) << 2));
    if (found === 0) found = longCode(ac, word);
    used = found & 255;
    size = (found >> 12) & 15;
    value = i32(found) >> 16;
    const run = (found >> 8) & 15;
    at += run;
    if (size !== 0) {
      value = extend(i32((word << u64(used)) >> u64(64 - size)), i32(size));
      used += size;
    } else if (value === 0) {
      position += used;
      // Sixteen zeros; or the end of the block.
      if (run !== 15) break;
      at++;
      continue;
    }
    position += used;
    if (at > 63) {
      broken = true;
      break;
    }
    const pair = load<i32>(quantizer + (usize(at) << 2));
    store<i16>(block + usize(pair & 0xffff), i16(value * (pair >> 16)));
    plain = false;
    at++;
  }
  bit = position;
  return plain;
}

/** Brings the bytes up to the next marker into the stream; says where they ended. */
function unstuff(from: usize): usize {
  const reversed = i8x16(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const marker = i8x16.splat(-1);
  let to = streamTop;
  while (from < scanEnd) {
    if (from + 16 <= scanEnd) {
      const bytes = v128.load(from);
      if (!v128.any_true(i8x16.eq(bytes, marker))) {
        v128.store(to - 15, i8x16.swizzle(bytes, reversed));
        from += 16;
        to -= 16;
        continue;
      }
    }
    const byte = load<u8>(from);
    if (byte === 0xff) {
      if (from + 1 >= scanEnd || load<u8>(from, 1) !== 0) break;
      from++;
    }
    store<u8>(to, byte);
    from++;
    to--;
  }
  // What is read past the end is zeros.
  v128.store(to - 15, i8x16.splat(0));
  v128.store(to - 31, i8x16.splat(0));
  streamBits = u32(streamTop - to) << 3;
  bit = 0;
  return from;
}

/** Decodes the scan; 0 where it is damaged, else where the pixels are. */
export function run(restartInterval: i32): usize {
  broken = false;
  let from = unstuff(scan);
  store<i32>(level, 0);
  store<i32>(level, 0, 4);
  store<i32>(level, 0, 8);
  let untilRestart = restartInterval;
  const chroma = planes + lumaStride * usize(unitsDown * 8 * down);
  for (let y = 0; y < unitsDown; y++) {
    for (let x = 0; x < unitsAcross; x++) {
      if (restartInterval > 0 && untilRestart === 0) {
        if (bit > streamBits || from + 2 > scanEnd) return 0;
        from = unstuff(from + 2);
        store<i32>(level, 0);
        store<i32>(level, 0, 4);
        store<i32>(level, 0, 8);
        untilRestart = restartInterval;
      }
      untilRestart--;
      for (let v = 0; v < down; v++) {
        for (let h = 0; h < across; h++) {
          const column = usize(x * across + h) << 3;
          const row = usize(y * down + v) << 3;
          transform(readBlock(0), planes + row * lumaStride + column, lumaStride);
        }
      }
      if (components > 1) {
        const at = chroma + (usize(y) << 3) * chromaStride + (usize(x) << 3);
        transform(readBlock(1), at, chromaStride);
        transform(readBlock(2), at + chromaBytes, chromaStride);
      }
      if (broken || bit > streamBits) return 0;
    }
  }
  convert(chroma);
  return pixels;
}

/** The inverse DCT of the block, to 8 rows of 8 levels. */
function transform(plain: bool, out: usize, stride: usize): void {
  if (plain) {
    const mean = (i32(load<i16>(block)) + 4) >> 3;
    const levels = i8x16.splat(i8(min(max(mean + 128, 0), 255)));
    for (let row = 0; row < 8; row++) v128.store_lane<i64>(out + usize(row) * stride, levels, 0);
    return;
  }
  pass(1 << 10, 11);
  pass(1 << 17, 18);
  const centre = i8x16.splat(-128);
  for (let row: usize = 0; row < 8; row += 2) {
    const pair = i8x16.narrow_i16x8_s(v128.load(block + (row << 4)), v128.load(block + (row << 4), 16));
    const levels = v128.xor(pair, centre);
    v128.store_lane<i64>(out + row * stride, levels, 0);
    v128.store_lane<i64>(out + (row + 1) * stride, levels, 1);
  }
}

/** Eight transforms of eight values, one in each lane, rounded by `bias` and `shift`; what comes out lies transposed. */
@inline
function pass(bias: i32, shift: i32): void {
  const r0 = v128.load(block);
  const r1 = v128.load(block, 16);
  const r2 = v128.load(block, 32);
  const r3 = v128.load(block, 48);
  const r4 = v128.load(block, 64);
  const r5 = v128.load(block, 80);
  const r6 = v128.load(block, 96);
  const r7 = v128.load(block, 112);

  // Constants are those of libjpeg's jidctint.c times 2^13, with the products of each rotation brought together so that
  // one dot product does two of them.
  const c2 = i16x8(4433, -10704, 4433, -10704, 4433, -10704, 4433, -10704);
  const c3 = i16x8(10703, 4433, 10703, 4433, 10703, 4433, 10703, 4433);
  const even = i16x8.add(r0, r4);
  const odd = i16x8.sub(r0, r4);
  const round = i32x4.splat(bias);
  const low26 = low(r2, r6);
  const high26 = high(r2, r6);
  const t0l = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(even), 13), round);
  const t0h = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(even), 13), round);
  const t1l = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(odd), 13), round);
  const t1h = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(odd), 13), round);
  const t2l = i32x4.dot_i16x8_s(low26, c2);
  const t2h = i32x4.dot_i16x8_s(high26, c2);
  const t3l = i32x4.dot_i16x8_s(low26, c3);
  const t3h = i32x4.dot_i16x8_s(high26, c3);
  const t10l = i32x4.add(t0l, t3l);
  const t10h = i32x4.add(t0h, t3h);
  const t13l = i32x4.sub(t0l, t3l);
  const t13h = i32x4.sub(t0h, t3h);
  const t11l = i32x4.add(t1l, t2l);
  const t11h = i32x4.add(t1h, t2h);
  const t12l = i32x4.sub(t1l, t2l);
  const t12h = i32x4.sub(t1h, t2h);

  const z3 = i16x8.add(r7, r3);
  const z4 = i16x8.add(r5, r1);
  const low34 = low(z3, z4);
  const high34 = high(z3, z4);
  const k3 = i16x8(-6436, 9633, -6436, 9633, -6436, 9633, -6436, 9633);
  const k4 = i16x8(9633, 6437, 9633, 6437, 9633, 6437, 9633, 6437);
  const z3l = i32x4.dot_i16x8_s(low34, k3);
  const z3h = i32x4.dot_i16x8_s(high34, k3);
  const z4l = i32x4.dot_i16x8_s(low34, k4);
  const z4h = i32x4.dot_i16x8_s(high34, k4);
  const low71 = low(r7, r1);
  const high71 = high(r7, r1);
  const low53 = low(r5, r3);
  const high53 = high(r5, r3);
  const k0 = i16x8(-4927, -7373, -4927, -7373, -4927, -7373, -4927, -7373);
  const k9 = i16x8(-7373, 4926, -7373, 4926, -7373, 4926, -7373, 4926);
  const k1 = i16x8(-4176, -20995, -4176, -20995, -4176, -20995, -4176, -20995);
  const k2 = i16x8(-20995, 4177, -20995, 4177, -20995, 4177, -20995, 4177);
  const s0l = i32x4.add(i32x4.dot_i16x8_s(low71, k0), z3l);
  const s0h = i32x4.add(i32x4.dot_i16x8_s(high71, k0), z3h);
  const s3l = i32x4.add(i32x4.dot_i16x8_s(low71, k9), z4l);
  const s3h = i32x4.add(i32x4.dot_i16x8_s(high71, k9), z4h);
  const s1l = i32x4.add(i32x4.dot_i16x8_s(low53, k1), z4l);
  const s1h = i32x4.add(i32x4.dot_i16x8_s(high53, k1), z4h);
  const s2l = i32x4.add(i32x4.dot_i16x8_s(low53, k2), z3l);
  const s2h = i32x4.add(i32x4.dot_i16x8_s(high53, k2), z3h);

  const o0 = packed(i32x4.add(t10l, s3l), i32x4.add(t10h, s3h), shift);
  const o7 = packed(i32x4.sub(t10l, s3l), i32x4.sub(t10h, s3h), shift);
  const o1 = packed(i32x4.add(t11l, s2l), i32x4.add(t11h, s2h), shift);
  const o6 = packed(i32x4.sub(t11l, s2l), i32x4.sub(t11h, s2h), shift);
  const o2 = packed(i32x4.add(t12l, s1l), i32x4.add(t12h, s1h), shift);
  const o5 = packed(i32x4.sub(t12l, s1l), i32x4.sub(t12h, s1h), shift);
  const o3 = packed(i32x4.add(t13l, s0l), i32x4.add(t13h, s0h), shift);
  const o4 = packed(i32x4.sub(t13l, s0l), i32x4.sub(t13h, s0h), shift);

  // 8 x 8 values change places in three rounds: neighbours, pairs, fours.
  const a0 = low(o0, o1);
  const a1 = high(o0, o1);
  const a2 = low(o2, o3);
  const a3 = high(o2, o3);
  const a4 = low(o4, o5);
  const a5 = high(o4, o5);
  const a6 = low(o6, o7);
  const a7 = high(o6, o7);
  const b0 = v128.shuffle<i32>(a0, a2, 0, 4, 1, 5);
  const b1 = v128.shuffle<i32>(a0, a2, 2, 6, 3, 7);
  const b2 = v128.shuffle<i32>(a1, a3, 0, 4, 1, 5);
  const b3 = v128.shuffle<i32>(a1, a3, 2, 6, 3, 7);
  const b4 = v128.shuffle<i32>(a4, a6, 0, 4, 1, 5);
  const b5 = v128.shuffle<i32>(a4, a6, 2, 6, 3, 7);
  const b6 = v128.shuffle<i32>(a5, a7, 0, 4, 1, 5);
  const b7 = v128.shuffle<i32>(a5, a7, 2, 6, 3, 7);
  v128.store(block, v128.shuffle<i64>(b0, b4, 0, 2));
  v128.store(block, v128.shuffle<i64>(b0, b4, 1, 3), 16);
  v128.store(block, v128.shuffle<i64>(b1, b5, 0, 2), 32);
  v128.store(block, v128.shuffle<i64>(b1, b5, 1, 3), 48);
  v128.store(block, v128.shuffle<i64>(b2, b6, 0, 2), 64);
  v128.store(block, v128.shuffle<i64>(b2, b6, 1, 3), 80);
  v128.store(block, v128.shuffle<i64>(b3, b7, 0, 2), 96);
  v128.store(block, v128.shuffle<i64>(b3, b7, 1, 3), 112);
}

@inline
function low(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

@inline
function high(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

@inline
function packed(first: v128, second: v128, shift: i32): v128 {
  return i16x8.narrow_i32x4_s(i32x4.shr_s(first, shift), i32x4.shr_s(second, shift));
}

/** Brings the colours to full size and all three to RGB, row by row. */
function convert(chroma: usize): void {
  const columns = (width + across - 1) / across;
  const rows = (height + down - 1) / down;
  let out = pixels;
  for (let y = 0; y < height; y++) {
    const luma = planes + usize(y) * lumaStride;
    if (components === 1) {
      out = grey(luma, out);
      continue;
    }
    const near = down === 2 ? y >> 1 : y;
    const far = down === 2 ? min(max((y & 1) === 1 ? near + 1 : near - 1, 0), rows - 1) : near;
    const nearRow = chroma + usize(near) * chromaStride;
    const farRow = chroma + usize(far) * chromaStride;
    if (across === 1) {
      out = colours(luma, nearRow, nearRow + chromaBytes, out);
      continue;
    }
    widen(nearRow, farRow, blueRow, columns);
    widen(nearRow + chromaBytes, farRow + chromaBytes, redRow, columns);
    out = colours(luma, blueRow, redRow, out);
  }
}

/** One row of colours of half width to full width: between two samples, the nearer counts three times as much. */
function widen(near: usize, far: usize, out: usize, columns: i32): void {
  // libjpeg smooths nothing where there are only one or two samples.
  if (columns <= 2) {
    for (let x = 0; x < columns; x++) {
      const sample = load<u8>(near + usize(x));
      store<u8>(out + usize(2 * x), sample);
      store<u8>(out + usize(2 * x), sample, 1);
    }
    return;
  }
  const start = sums + 16;
  const tall = down === 2;
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

function grey(luma: usize, out: usize): usize {
  for (let x: usize = 0; x < usize(width); x++) {
    const sample = load<u8>(luma + x);
    store<u8>(out, sample);
    store<u8>(out, sample, 1);
    store<u8>(out, sample, 2);
    out += 3;
  }
  return out;
}

/** 16 pixels at a time. The constants are ITU-R BT.601's times 2^16, less what is added as a whole. */
function colours(luma: usize, blue: usize, red: usize, out: usize): usize {
  for (let x: usize = 0; x < usize(width); x += 16) {
    const y = v128.load(luma + x);
    const cb = v128.xor(v128.load(blue + x), i8x16.splat(-128));
    const cr = v128.xor(v128.load(red + x), i8x16.splat(-128));
    const y0 = i16x8.extend_low_i8x16_u(y);
    const y1 = i16x8.extend_high_i8x16_u(y);
    const cb0 = i16x8.extend_low_i8x16_s(cb);
    const cb1 = i16x8.extend_high_i8x16_s(cb);
    const cr0 = i16x8.extend_low_i8x16_s(cr);
    const cr1 = i16x8.extend_high_i8x16_s(cr);
    const r = i8x16.narrow_i16x8_u(
      i16x8.add(i16x8.add(y0, cr0), scaled(cr0, 26345)),
      i16x8.add(i16x8.add(y1, cr1), scaled(cr1, 26345)),
    );
    const b = i8x16.narrow_i16x8_u(
      i16x8.add(i16x8.add(y0, i16x8.shl(cb0, 1)), scaled(cb0, -14942)),
      i16x8.add(i16x8.add(y1, i16x8.shl(cb1, 1)), scaled(cb1, -14942)),
    );
    const g = i8x16.narrow_i16x8_u(
      i16x8.add(i16x8.sub(y0, cr0), mixed(cb0, cr0)),
      i16x8.add(i16x8.sub(y1, cr1), mixed(cb1, cr1)),
    );
    const rg0 = v128.shuffle<i8>(r, g, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
    const rg1 = v128.shuffle<i8>(r, g, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
    const rg2 = v128.shuffle<i8>(r, g, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    v128.store(out, v128.shuffle<i8>(rg0, b, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15));
    v128.store(out, v128.shuffle<i8>(rg1, b, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15), 16);
    v128.store(out, v128.shuffle<i8>(rg2, b, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31), 32);
    out += 48;
  }
  // The last pixels may be past the end of the row: the next one takes their place.
  return out - (((usize(width) + 15) & ~15) - usize(width)) * 3;
}

/** (colour x factor + 1/2) >> 16. */
@inline
function scaled(colour: v128, factor: i16): v128 {
  const two = i16x8.splat(2);
  const factors = i32x4.splat((i32(factor) & 0xffff) | (16384 << 16));
  return packed(
    i32x4.dot_i16x8_s(low(colour, two), factors),
    i32x4.dot_i16x8_s(high(colour, two), factors),
    16,
  );
}

/** What blue and red take away from green, less red as a whole. */
@inline
function mixed(cb: v128, cr: v128): v128 {
  const factors = i32x4.splat((-22554 & 0xffff) | (18734 << 16));
  const half = i32x4.splat(32768);
  return packed(
    i32x4.add(i32x4.dot_i16x8_s(low(cb, cr), factors), half),
    i32x4.add(i32x4.dot_i16x8_s(high(cb, cr), factors), half),
    16,
  );
}
