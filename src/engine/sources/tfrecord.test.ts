import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { maskedCrc32c } from '../../io/formats/crc32c.ts';
import { elementsOf, failureOf } from './elements.fixture.ts';
import { type TfrecordOptions, tfrecords } from './tfrecord.ts';

const written = readFileSync(fileURLToPath(new URL('golden/examples.tfrecord', import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'tfrecord-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

function frame(payload: Uint8Array): Buffer {
  const record = Buffer.alloc(payload.length + 16);
  record.writeBigUInt64LE(BigInt(payload.length), 0);
  record.writeUInt32LE(maskedCrc32c(record, 0, 8), 8);
  record.set(payload, 12);
  record.writeUInt32LE(maskedCrc32c(payload), payload.length + 12);
  return record;
}

/** Where records lie in what another program wrote, by their lengths alone. */
function layout(bytes: Buffer): { start: number; length: number }[] {
  const records: { start: number; length: number }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Number(bytes.readBigUInt64LE(at));
    records.push({ start: at, length });
    at += length + 16;
  }
  return records;
}

const payloads = layout(written).map(
  ({ start, length }) => new Uint8Array(written.subarray(start + 12, start + 12 + length)),
);

const changed = (at: number): Buffer => {
  const bytes = Buffer.from(written);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
};

const read = (bytes: Uint8Array, options?: TfrecordOptions, name = 'a.tfrecord') =>
  elementsOf(tfrecords(file(name, bytes), options));

describe('tfrecords', () => {
  it('gives the payloads another program wrote', () => {
    expect(payloads).toHaveLength(6);
    for (const verify of [true, false]) expect(read(written, { verify })).toEqual(payloads);
    expect(read(Buffer.alloc(0))).toEqual([]);
  });

  it('reads gzip as told, or as the file looks', () => {
    const packed = gzipSync(written);
    for (const compression of ['auto', 'gzip'] as const) expect(read(packed, { compression })).toEqual(payloads);
    expect(read(packed, {}, 'a.tfrecord.gz')).toEqual(payloads);
    expect(read(written, { compression: 'none' })).toEqual(payloads);
    expect(failureOf(() => read(packed, { compression: 'none' }))).toMatch(
      /BAD_RECORD .*record 1, at byte 0, has a length/,
    );
    expect(failureOf(() => read(written, { compression: 'gzip' }))).toMatch(/BAD_RECORD .* is not gzip/);
    expect(failureOf(() => tfrecords('a', { compression: 'zlib' as 'gzip' }))).toMatch(/^VENTURI_BAD_OPTION/);
  });

  it('does not take a record for gzip whose length begins as gzip does', () => {
    const payload = new Uint8Array(0x088b1f).fill(3);
    expect(read(frame(payload)).map(record => Buffer.compare(record, payload))).toEqual([0]);
  });

  it('reads records of any size, across the pieces a file is read in', () => {
    const sizes = [0, 1, 262_144 - 28, 5, 3_000_000, 100, 262_143, 262_144, 7];
    const large = sizes.map((size, at) => new Uint8Array(size).fill(at));
    const bytes = Buffer.concat(large.map(frame));
    for (const stored of [bytes, gzipSync(bytes)]) {
      const records = read(stored);
      expect(records.map(({ length }) => length)).toEqual(sizes);
      expect(records.every((record, at) => Buffer.compare(record, large[at] ?? record.subarray(1)) === 0)).toBe(true);
    }
  });

  it('says which record is damaged, and in what', () => {
    const { start, length } = layout(written)[2] ?? { start: 0, length: 0 };
    const place = `VENTURI_BAD_RECORD ${join(folder, 'a.tfrecord')}: record 3, at byte ${start}, has a`;
    for (const at of [start, start + 7, start + 8, start + 11]) {
      expect(failureOf(() => read(changed(at)))).toContain(`${place} length that does not match its checksum`);
      expect(failureOf(() => read(changed(at), { verify: false }))).toContain(`${place} length`);
    }
    for (const at of [start + 12, start + 11 + length, start + 12 + length, start + 15 + length]) {
      expect(failureOf(() => read(changed(at)))).toContain(`${place} payload that does not match its checksum`);
      expect(read(changed(at), { verify: false })).toHaveLength(6);
    }
  });

  it('says which record is cut off, wherever the file ends', () => {
    const ends = new Set([0, ...layout(written).map(({ start, length }) => start + length + 16)]);
    for (let length = 0; length < written.length; length += 7) {
      const cut = written.subarray(0, length);
      if (ends.has(length)) continue;
      expect(
        failureOf(() => read(cut)),
        `${length} bytes`,
      ).toMatch(/BAD_RECORD .*record \d, at byte \d+, is cut off/);
    }
  });

  it('asks for no memory for a record that cannot be there', () => {
    const header = Buffer.alloc(12);
    header.writeBigUInt64LE(2n ** 45n);
    header.writeUInt32LE(maskedCrc32c(header, 0, 8), 8);
    expect(failureOf(() => read(header))).toMatch(/BAD_RECORD .*record 1, at byte 0, is cut off/);
    expect(failureOf(() => read(gzipSync(header)))).toMatch(/BAD_RECORD .*35184372088832 bytes/);
  });

  it('says that a file is something else', () => {
    expect(failureOf(() => read(Buffer.from('this is a text file, not records')))).toMatch(
      /check that it is a TFRecord file/,
    );
  });
});
