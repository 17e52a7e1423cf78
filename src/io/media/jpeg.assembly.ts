/**
 * Decodes the scans of a JPEG file to packed 8-bit RGB, bit for bit as libjpeg does by default and with it Pillow and
 * torchvision. jpeg-decoder.ts reads what stands between the scans and calls what is exported here: `component` for each of
 * them, `place`, then tables and `scan` in the order of the file, and `finish`. AssemblyScript; tools/wasm.mjs compiles it and
 * the files beside it into jpeg-wasm.ts.
 */
import { END_STEPS, isOverrun, setCodes, setPairs, setStreamTop, TABLE_BYTES, unstuff, valuesOf } from './jpeg-bits.assembly';
import { readBand, readBlock, readMeanFirst, refineBand, refineMean, restartBlocks } from './jpeg-blocks.assembly';
import { darken, fromGrey, fromRgb, fromYcc } from './jpeg-colours.assembly';
import { COMPONENT_BYTES, Component, zigzag } from './jpeg-component.assembly';
import { spread, transform } from './jpeg-transform.assembly';
import { upsampled } from './jpeg-upsampling.assembly';

const SLACK: usize = 64;
/** What is read may go past the end of the stream by one unit: ten blocks of 64 codes with 16 bits behind each. */
const STREAM_SLACK: u64 = 10 * 64 * 4 + 64;
const MOST_COMPONENTS: usize = 4;
/** DC tables 0 to 3, then AC tables. */
const TABLES: usize = 8;
/** Steps may lead behind the 64. */
const QUANTIZERS: usize = 64 + 2 * usize(END_STEPS);
const QUANTIZERS_BYTES: usize = QUANTIZERS * 4 + 128;
/** All addresses are below this. */
const MOST_BYTES: u64 = 0xffff_0000;

const components: usize = align(__heap_base);
const quantizersStart: usize = align(components + MOST_COMPONENTS * COMPONENT_BYTES);
const tables: usize = align(quantizersStart + MOST_COMPONENTS * QUANTIZERS_BYTES);
/** Behind it is room for what lies outside a block. */
const block: usize = align(tables + TABLES * TABLE_BYTES);
const FIXED_END: usize = block + 128 + 16;

let width: i32 = 0;
let height: i32 = 0;
let count: i32 = 0;
let unitsAcross: i32 = 0;
let unitsDown: i32 = 0;
let stored: bool = false;
/** The file's bytes from the first scan on. */
let file: usize = 0;
let fileEnd: usize = 0;
let sums: usize = 0;
let pixels: usize = 0;

/** The components of the scan that is read. */
const scanned = memory.data<u32>([0, 0, 0, 0]);

@inline
function align(address: usize): usize {
  return (address + 15) & ~15;
}

@inline
function componentAt(index: i32): Component {
  return changetype<Component>(components + usize(index) * COMPONENT_BYTES);
}

@inline
function scannedAt(index: i32): Component {
  return componentAt(load<i32>(scanned + (usize(index) << 2)));
}

/** How many blocks of a component are in a unit of the image, across and down, and how many times more samples the image has. */
export function component(index: i32, horizontal: i32, vertical: i32, across: i32, down: i32): void {
  const c = componentAt(index);
  c.horizontal = horizontal;
  c.vertical = vertical;
  c.across = across;
  c.down = down;
}

/**
 * Lays out the memory for one image. `keep`: coefficients come in many scans. Says where the file's bytes go, from the first
 * scan on; 0: there is no memory for it.
 */
export function place(imageWidth: i32, imageHeight: i32, all: i32, keep: bool, bytes: u32): usize {
  width = imageWidth;
  height = imageHeight;
  count = all;
  stored = keep;
  const first = componentAt(0);
  const unitWidth = 8 * first.horizontal * first.across;
  const unitHeight = 8 * first.vertical * first.down;
  unitsAcross = (width + unitWidth - 1) / unitWidth;
  unitsDown = (height + unitHeight - 1) / unitHeight;
  const wideBytes = u64(unitsAcross * unitWidth) + SLACK;

  let end: u64 = FIXED_END;
  for (let i = 0; i < count; i++) {
    const c = componentAt(i);
    c.columns = (width * c.horizontal * 8 + unitWidth - 1) / unitWidth;
    c.rows = (height * c.vertical * 8 + unitHeight - 1) / unitHeight;
    c.blocksAcross = (c.columns + 7) >> 3;
    c.blocksDown = (c.rows + 7) >> 3;
    c.stride = usize(unitsAcross * c.horizontal) << 3;
    c.blocksStride = usize(unitsAcross * c.horizontal) << 7;
    c.quantizers = quantizersStart + usize(i) * QUANTIZERS_BYTES;
    c.quantizerBlock = c.quantizers + QUANTIZERS * 4;
    const samples = u64(c.stride) * u64(unitsDown * c.vertical * 8);
    c.wide = usize(end);
    end += wideBytes;
    c.plane = usize(end);
    end += samples + SLACK;
    if (keep) {
      end = (end + 15) & ~15;
      c.coefficients = usize(end);
      end += samples * 2;
    }
    if (end > MOST_BYTES) return 0;
  }
  sums = align(usize(end));
  end = u64(sums) + wideBytes * 2 + SLACK + STREAM_SLACK + u64(bytes) + SLACK;
  if (end > MOST_BYTES) return 0;
  setStreamTop(usize(end));
  file = align(usize(end) + SLACK);
  fileEnd = file + usize(bytes);
  pixels = align(fileEnd + SLACK);
  end = u64(file) + u64(bytes) + u64(width) * u64(height) * 3 + 4 * SLACK;
  if (end > MOST_BYTES) return 0;
  const pages = i32((end + 0xffff) >> 16);
  if (pages > memory.size() && memory.grow(pages - memory.size()) < 0) return 0;
  if (keep) for (let i = 0; i < count; i++) clear(componentAt(i));
  return file;
}

function clear(c: Component): void {
  memory.fill(c.coefficients, 0, c.blocksStride * usize(unitsDown * c.vertical));
}

/** Takes the quantizers of a component one by one, in zigzag order, and those behind the last, which lead outside the block. */
export function quantizer(index: i32, at: i32, value: i32): void {
  const c = componentAt(index);
  const place = i32(load<u8>(zigzag + usize(at))) << 1;
  store<u32>(c.quantizers + (usize(at) << 2), (value << 16) | place);
  store<u16>(c.quantizerBlock + usize(place), u16(value));
  if (at === 63) for (let i: usize = 64; i < QUANTIZERS; i++) store<u32>(c.quantizers + (i << 2), 128);
}

/** Where the values of a Huffman table go, at most 256. */
export function valuesAt(table: i32): usize {
  return valuesOf(tables + usize(table) * TABLE_BYTES);
}

/** One length of a Huffman table after the other, from 1 to 16: how many codes there are of it, and the first of them. */
export function codes(table: i32, length: i32, number: i32, first: i32, before: i32): void {
  setCodes(tables + usize(table) * TABLE_BYTES, length, number, first, before);
}

/** Makes what sequential scans need of a table of AC coefficients, once it has all codes. */
export function pairs(table: i32): void {
  setPairs(tables + usize(table) * TABLE_BYTES);
}

/** Says which component of the next scan is the `order`th, and which tables are its. */
export function scanComponent(order: i32, index: i32, dc: i32, ac: i32): void {
  store<i32>(scanned + (usize(order) << 2), index);
  const c = componentAt(index);
  c.dc = tables + usize(dc) * TABLE_BYTES;
  c.ac = tables + usize(ac + 4) * TABLE_BYTES;
}

/** What the scan holds of every coefficient: the band in zigzag order, and its bits. All of it in sequential files. */
let start: u32 = 0;
let end: u32 = 63;
let isFirst: bool = true;
let lowBit: i32 = 0;

export function band(from: u32, to: u32, highBit: i32, low: i32): void {
  start = from;
  end = to;
  isFirst = highBit === 0;
  lowBit = low;
}

/** Decodes a scan from where it begins; says where the marker behind it has its code, counted like `from`; 0: it is damaged. */
export function scan(from: u32, all: i32, restartInterval: i32): usize {
  const alone = scannedAt(0);
  const across = all === 1 ? alone.blocksAcross : unitsAcross;
  const down = all === 1 ? alone.blocksDown : unitsDown;
  let at = unstuff(file + usize(from), fileEnd);
  restart(all);
  let untilRestart = restartInterval;
  let restarts: u32 = 0;
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      if (restartInterval > 0 && untilRestart === 0) {
        if (at >= fileEnd || load<u8>(at) !== 0xd0 + (restarts++ & 7)) return 0;
        at = unstuff(at + 1, fileEnd);
        restart(all);
        untilRestart = restartInterval;
      }
      untilRestart--;
      const fine = all === 1 ? readAt(alone, x, y) : readUnit(all, x, y);
      if (!fine || isOverrun()) return 0;
    }
  }
  return at - file;
}

function restart(all: i32): void {
  restartBlocks();
  for (let i = 0; i < all; i++) scannedAt(i).level = 0;
}

function readUnit(all: i32, x: i32, y: i32): bool {
  for (let i = 0; i < all; i++) {
    const c = scannedAt(i);
    for (let v = 0; v < c.vertical; v++) {
      for (let h = 0; h < c.horizontal; h++) {
        if (!readAt(c, x * c.horizontal + h, y * c.vertical + v)) return false;
      }
    }
  }
  return true;
}

@inline
function readAt(c: Component, column: i32, row: i32): bool {
  if (stored) return addTo(c, c.coefficients + usize(row) * c.blocksStride + (usize(column) << 7));
  const found = readBlock(c, block);
  const out = c.plane + (usize(row) << 3) * c.stride + (usize(column) << 3);
  if (found === 2) transform(block, out, c.stride);
  else spread(block, out, c.stride);
  return found !== 0;
}

function addTo(c: Component, coefficients: usize): bool {
  if (start > 0) {
    return isFirst
      ? readBand(c, coefficients, start, end, lowBit)
      : refineBand(c, coefficients, start, end, lowBit);
  }
  return isFirst ? readMeanFirst(c, coefficients, lowBit) : refineMean(coefficients, lowBit);
}

/** Makes pixels of what the scans gave: 0 of grey, 1 of RGB, 2 of YCbCr, 3 of CMYK, 4 of YCCK. Says where they are. */
export function finish(colours: i32): usize {
  if (stored) for (let i = 0; i < count; i++) transformAll(componentAt(i));
  let out = pixels;
  for (let y = 0; y < height; y++) {
    const first = upsampled(componentAt(0), y, sums);
    if (colours === 0) {
      fromGrey(first, out, width);
    } else {
      const second = upsampled(componentAt(1), y, sums);
      const third = upsampled(componentAt(2), y, sums);
      if (colours === 2 || colours === 4) fromYcc(first, second, third, out, width);
      else fromRgb(first, second, third, out, width);
      if (colours > 2) darken(out, upsampled(componentAt(3), y, sums), width, colours === 4);
    }
    out += usize(width) * 3;
  }
  return pixels;
}

function transformAll(c: Component): void {
  for (let row = 0; row < c.blocksDown; row++) {
    for (let column = 0; column < c.blocksAcross; column++) {
      const from = c.coefficients + usize(row) * c.blocksStride + (usize(column) << 7);
      transformStored(c, from, c.plane + (usize(row) << 3) * c.stride + (usize(column) << 3));
    }
  }
}

/** Dequantizes a block and transforms it. */
function transformStored(c: Component, from: usize, out: usize): void {
  // Without the mean, which stands in the first 16 bits.
  let others = v128.and(v128.load(from), i16x8(0, -1, -1, -1, -1, -1, -1, -1));
  v128.store(block, i16x8.mul(v128.load(from), v128.load(c.quantizerBlock)));
  for (let at: usize = 16; at < 128; at += 16) {
    const values = v128.load(from + at);
    others = v128.or(others, values);
    v128.store(block + at, i16x8.mul(values, v128.load(c.quantizerBlock + at)));
  }
  if (v128.any_true(others)) transform(block, out, c.stride);
  else spread(block, out, c.stride);
}
