/** Data for every source, made on the spot: a file of about `bytes`, and how many elements it holds. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetFile } from './parquet.mjs';

export const ELEMENT_BYTES = 100_000;

const WORDS = 'venturi finds the narrow place in a pipeline and says what a change of it will gain'.split(' ');
const sentence = (row, words) =>
  Array.from({ length: words }, (_, at) => WORDS[(row * 7 + at * 3) % WORDS.length]).join(' ');

const crcTable = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value >>> 0;
});
function maskedCrc32c(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  crc = (crc ^ 0xffffffff) >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** Bytes that neither compress to nothing nor not at all. */
const payload = (number, length) => Buffer.alloc(length, `${number} ${sentence(number, 97)}`);

function tfrecord(number) {
  const data = payload(number, ELEMENT_BYTES);
  const framed = Buffer.alloc(16 + data.length);
  framed.writeBigUInt64LE(BigInt(data.length), 0);
  framed.writeUInt32LE(maskedCrc32c(framed.subarray(0, 8)), 8);
  framed.set(data, 12);
  framed.writeUInt32LE(maskedCrc32c(data), 12 + data.length);
  return framed;
}

function tarEntry(name, data) {
  const block = Buffer.alloc(512 + Math.ceil(data.length / 512) * 512);
  block.write(name, 0);
  block.write('0000644\0', 100);
  block.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
  block.write('0', 156);
  block.write('ustar\0', 257);
  block.write('        ', 148);
  const sum = block.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  block.set(data, 512);
  return block;
}

/** Element number → its bytes in the file, and what stands before the first and behind the last. */
const FORMATS = {
  lines: { of: row => Buffer.from(`${row} ${sentence(row, 18)}\n`) },
  jsonl: {
    of: row => Buffer.from(`${JSON.stringify({ row, text: sentence(row, 12), half: row / 2, odd: row % 2 === 1 })}\n`),
  },
  csv: {
    head: Buffer.from('row,text,half,word\n'),
    of: row => Buffer.from(`${row},"${sentence(row, 12)}",${row / 2},${WORDS[row % WORDS.length]}\n`),
  },
  tfrecords: { of: tfrecord },
  tar: { of: row => tarEntry(`${row}.bin`, payload(row, ELEMENT_BYTES)), tail: Buffer.alloc(1024) },
  webdataset: {
    of: row =>
      Buffer.concat([
        tarEntry(`${row}.jpg`, payload(row, ELEMENT_BYTES)),
        tarEntry(`${row}.cls`, Buffer.from(`${row % 10}`)),
      ]),
    tail: Buffer.alloc(1024),
  },
};

const PARQUET = {
  id: { type: 'int64', value: row => row },
  price: { type: 'double', value: row => row / 4 },
  title: { type: 'text', value: row => sentence(row, 8) },
  body: { type: 'bytes', value: row => payload(row, 900) },
};
const PARQUET_ROW_BYTES = 980;

/** A stretch of elements is made once and repeated: making data must not take longer than reading it. */
const STRETCH_BYTES = 8e6;

/** Writes `bytes` of `format` to `path`; gives the number of elements. */
export function make(format, path, bytes) {
  const handle = openSync(path, 'w');
  try {
    if (format === 'parquet') {
      const rows = Math.max(2, Math.round(bytes / PARQUET_ROW_BYTES));
      parquetFile(PARQUET, rows, piece => writeSync(handle, piece));
      return rows;
    }
    const gzip = format === 'tfrecords-gzip';
    const { head, of, tail } = FORMATS[gzip ? 'tfrecords' : format];
    const [pieces, sizes] = [[], { piece: 0, file: 0 }];
    do {
      const element = of(pieces.length);
      pieces.push(element);
      sizes.piece += element.length;
    } while (sizes.piece < Math.min(bytes, STRETCH_BYTES));
    const stretch = gzip ? gzipSync(Buffer.concat(pieces), { level: 1 }) : Buffer.concat(pieces);
    if (head !== undefined) writeSync(handle, head);
    let elements = 0;
    for (; sizes.file < bytes; sizes.file += sizes.piece) {
      writeSync(handle, stretch);
      elements += pieces.length;
    }
    if (tail !== undefined) writeSync(handle, tail);
    return elements;
  } finally {
    closeSync(handle);
  }
}

/** Files of one element each, in folders of a hundred. */
export function makeFolder(folder, bytes) {
  const count = Math.max(1, Math.round(bytes / ELEMENT_BYTES));
  for (let number = 0; number < count; number++) {
    const inside = join(folder, `part-${String(Math.floor(number / 100)).padStart(4, '0')}`);
    if (number % 100 === 0) mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, `${String(number).padStart(6, '0')}.bin`), payload(number, ELEMENT_BYTES));
  }
  return count;
}
