import { maskedCrc32c } from '../../io/formats/crc32c.ts';

/** One record as TensorFlow writes it. */
export function record(payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(payload.length + 16);
  bytes.writeUInt32LE(payload.length, 0);
  bytes.writeUInt32LE(maskedCrc32c(bytes, 0, 8), 8);
  bytes.set(payload, 12);
  bytes.writeUInt32LE(maskedCrc32c(payload), 12 + payload.length);
  return bytes;
}
