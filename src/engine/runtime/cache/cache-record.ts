import { crc32c } from '../../../io/formats/crc32c.ts';

/**
 * A cache on disk, little-endian:
 *
 *     'VENTCACH' · key, 32 characters
 *     per chunk: length u32 · elements u32 · CRC-32C of the chunk u32 · CRC-32C of the twelve bytes before u32 · chunk
 *     the end: the same with no elements; its chunk is: elements in all f64 · bytes before this record f64
 *
 * Whoever looks at the last bytes first knows whether the file is whole.
 */
const MAGIC = Buffer.from('VENTCACH');
export const KEY_CHARACTERS = 32;
export const HEADER_BYTES = MAGIC.length + KEY_CHARACTERS;
export const RECORD_BYTES = 16;
export const END_BYTES = RECORD_BYTES + 16;

/** The bytes are not what was written. */
export class Damage extends Error {}

export const fileHeader = (key: string): Buffer => Buffer.concat([MAGIC, Buffer.from(key, 'latin1')]);

export interface RecordHead {
  readonly length: number;
  readonly elements: number;
  readonly crc: number;
}

export function recordHead(chunk: Uint8Array, elements: number): Buffer {
  const head = Buffer.alloc(RECORD_BYTES);
  head.writeUInt32LE(chunk.length, 0);
  head.writeUInt32LE(elements, 4);
  head.writeUInt32LE(crc32c(chunk), 8);
  head.writeUInt32LE(crc32c(head, 0, 12), 12);
  return head;
}

export function parseHead(head: Buffer): RecordHead {
  if (crc32c(head, 0, 12) !== head.readUInt32LE(12)) throw new Damage('the head of a chunk is not what was written');
  return { length: head.readUInt32LE(0), elements: head.readUInt32LE(4), crc: head.readUInt32LE(8) };
}

export function checkChunk(chunk: Uint8Array, { crc }: RecordHead): void {
  if (crc32c(chunk) !== crc) throw new Damage('a chunk is not what was written');
}

export function endRecord(elements: number, bytes: number): Buffer {
  const end = Buffer.alloc(END_BYTES - RECORD_BYTES);
  end.writeDoubleLE(elements, 0);
  end.writeDoubleLE(bytes, 8);
  return Buffer.concat([recordHead(end, 0), end]);
}

/** Elements in all, from the end of a file in which it stands behind `bytes`. */
export function parseEnd(record: Buffer, bytes: number): number {
  const head = parseHead(record);
  const end = record.subarray(RECORD_BYTES);
  if (head.elements !== 0 || head.length !== end.length) throw new Damage('its end is missing');
  checkChunk(end, head);
  if (end.readDoubleLE(8) !== bytes) throw new Damage(`it has ${bytes} bytes, not ${end.readDoubleLE(8)}`);
  return end.readDoubleLE(0);
}
