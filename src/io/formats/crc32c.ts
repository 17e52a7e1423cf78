/** CRC-32C (Castagnoli), reflected, up to sixteen bytes a step: table k holds the effect of a byte with k bytes after it. */
const POLYNOMIAL = 0x82f63b78;
const TABLE_COUNT = 16;
const TABLES = tables();

function tables(): Int32Array {
  const all = new Int32Array(256 * TABLE_COUNT);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL;
    all[byte] = crc;
  }
  for (let at = 256; at < all.length; at++) {
    const before = all[at - 256] as number;
    all[at] = (before >>> 8) ^ (all[before & 255] as number);
  }
  return all;
}

const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Below this, making a view of words costs more than it saves. */
const LEAST_IN_WORDS = 512;

/** The CRC-32C of `bytes` from `from` to `to`, as an unsigned 32-bit number. */
export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let crc = -1;
  let at = from;
  if (LITTLE_ENDIAN && to - from >= LEAST_IN_WORDS) {
    const misaligned = (4 - ((bytes.byteOffset + from) & 3)) & 3;
    crc = byBytes(TABLES, crc, bytes, at, at + misaligned);
    at += misaligned;
    const steps = (to - at) >>> 4;
    crc = byWords(TABLES, crc, new Int32Array(bytes.buffer, bytes.byteOffset + at, steps * 4));
    at += steps * 16;
  }
  return ~byBytes(TABLES, crc, bytes, at, to) >>> 0;
}

/** TFRecord stores checksums turned and shifted, because a checksum of data that holds checksums is weak. */
export function maskedCrc32c(bytes: Uint8Array, from?: number, to?: number): number {
  const crc = crc32c(bytes, from, to);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

// The tables are handed in because V8 keeps an argument at hand and reads a module's constant anew at each use.
function byWords(tables: Int32Array, crc: number, words: Int32Array): number {
  const { length } = words;
  for (let i = 0; i < length; i += 4) {
    crc =
      four(tables, 12, crc ^ (words[i] as number)) ^
      four(tables, 8, words[i + 1] as number) ^
      four(tables, 4, words[i + 2] as number) ^
      four(tables, 0, words[i + 3] as number);
  }
  return crc;
}

function byBytes(tables: Int32Array, crc: number, bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  for (; i + 8 <= to; i += 8) crc = four(tables, 4, crc ^ word(bytes, i)) ^ four(tables, 0, word(bytes, i + 4));
  for (; i < to; i++) crc = (crc >>> 8) ^ (tables[(crc ^ (bytes[i] as number)) & 255] as number);
  return crc;
}

/** The effect of four bytes that have `after` bytes of their step after them. */
const four = (tables: Int32Array, after: number, bytes: number): number =>
  (tables[(after + 3) * 256 + (bytes & 255)] as number) ^
  (tables[(after + 2) * 256 + ((bytes >>> 8) & 255)] as number) ^
  (tables[(after + 1) * 256 + ((bytes >>> 16) & 255)] as number) ^
  (tables[after * 256 + (bytes >>> 24)] as number);

const word = (bytes: Uint8Array, i: number): number =>
  (bytes[i] as number) |
  ((bytes[i + 1] as number) << 8) |
  ((bytes[i + 2] as number) << 16) |
  ((bytes[i + 3] as number) << 24);
