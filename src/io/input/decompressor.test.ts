import zlib, { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../engine/sources/elements.fixture.ts';
import { type Compression, gzip, recognised, zstd } from './compression.ts';
import { Decompressor } from './decompressor.ts';

/** Bytes that arrive `piece` at a time. */
function arriving(stored: Uint8Array, piece: number) {
  let position = 0;
  return (target: Uint8Array, at: number, length: number): number => {
    const part = stored.subarray(position, position + Math.min(length, piece));
    target.set(part, at);
    position += part.length;
    return part.length;
  };
}

/** Decompresses `stored`, which arrives `piece` bytes at a time, into room for `room` bytes at a time. */
function inflated(stored: Uint8Array, piece: number, room: number, compression: Compression): Buffer {
  const decompressor = new Decompressor('a.gz', arriving(stored, piece), compression);
  try {
    const parts: Buffer[] = [];
    const target = new Uint8Array(room + 2).fill(0xee);
    for (;;) {
      const read = decompressor.readInto(target, 1, room);
      expect([target[0], target[room + 1]]).toEqual([0xee, 0xee]);
      if (read === 0) return Buffer.concat(parts);
      parts.push(Buffer.from(target.subarray(1, 1 + read)));
    }
  } finally {
    decompressor.close();
  }
}

const text = Buffer.from(Array.from({ length: 400 }, (_, i) => `line ${i * i}\n`).join(''));

/** Absent before Node 22.15. */
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (bytes: Uint8Array) => Buffer };

type Way = [string, Compression, (bytes: Uint8Array) => Buffer];

const ways: readonly Way[] = [
  ['gzip', gzip, bytes => gzipSync(bytes)],
  ...(zstdCompressSync === undefined ? [] : ([['zstd', zstd, zstdCompressSync]] satisfies Way[])),
];

describe.each(ways)('what %s has compressed', (name, compression, pack) => {
  const packed = pack(text);

  it('comes back, however input and output are cut', () => {
    const sizes = fc.integer({ min: 1, max: 5000 });
    const members = fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(members, sizes, sizes, (parts, piece, room) => {
        const stored = Buffer.concat(parts.map(pack));
        expect(inflated(stored, piece, room, compression).equals(Buffer.concat(parts))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('may be far more than is held', () => {
    const zeros = pack(Buffer.alloc(32 * 1024 * 1024));
    const decompressor = new Decompressor('zeros', arriving(zeros, zeros.length), compression);
    const target = new Uint8Array(4096);
    const before = process.memoryUsage().arrayBuffers;
    let total = 0;
    for (let read = 1; read > 0; total += read) read = decompressor.readInto(target, 0, target.length);
    expect(total).toBe(32 * 1024 * 1024);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
    decompressor.close();
  });

  it('is told of where it ends too early, wherever that is', () => {
    for (const length of [1, 5, 10, 11, packed.length >> 1, packed.length - 8, packed.length - 1]) {
      const message = failureOf(() => inflated(packed.subarray(0, length), 64, 64, compression));
      expect(message, `${length} bytes`).toContain(`VENTURI_BAD_RECORD a.gz ends inside its ${name} data / `);
    }
  });

  it('is told of where it is damaged', () => {
    const message = (stored: Uint8Array): string => failureOf(() => inflated(stored, 1e6, 64, compression));
    expect(message(Buffer.from('plain text'))).toContain(`a.gz is not ${name} from byte 0 on: `);
    expect(message(Buffer.concat([packed, Buffer.from('rest')]))).toMatch(/VENTURI_BAD_RECORD a\.gz .* \/ .* -t tells/);
  });
});

describe('gzip', () => {
  const packed = gzipSync(text);

  it('may have zeros after its last member, as tapes and disks leave them', () => {
    const padded = Buffer.concat([packed, Buffer.alloc(1000)]);
    expect(inflated(padded, 100_000, 700, gzip).equals(text)).toBe(true);
    expect(inflated(padded, 3, 700, gzip).equals(text)).toBe(true);
  });

  it('has a checksum', () => {
    const damaged = Buffer.from(packed);
    damaged.writeUInt32LE(12345, packed.length - 8);
    expect(failureOf(() => inflated(damaged, 64, 4096, gzip))).toMatch(
      /^VENTURI_BAD_RECORD a\.gz is not gzip from byte \d+ on: incorrect data check \/ .*gzip -t/,
    );
  });
});

describe('compression', () => {
  it('is known by the first bytes, not by the name', () => {
    expect(recognised('a.txt', gzipSync(text))).toBe(gzip);
    expect(recognised('a.txt', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0))).toBe(zstd);
    expect(recognised('a.txt', Uint8Array.of(0x57, 0x2a, 0x4d, 0x18, 0))).toBe(zstd);
    expect(recognised('a.txt.gz', text)).toBeUndefined();
    expect(recognised('a.txt.zst', new Uint8Array())).toBeUndefined();
    expect(recognised('a.txt', Uint8Array.of(0x1f))).toBeUndefined();
    expect(recognised('a.txt.gz', Uint8Array.of(0x1f))).toBe(gzip);
  });

  it.skipIf(zstdCompressSync !== undefined)('with zstd is refused by a Node that cannot read it', () => {
    expect(failureOf(() => inflated(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd), 9, 9, zstd))).toMatch(
      /^VENTURI_CODEC_MISSING a\.gz is compressed with zstd, which Node .* cannot read \/ use Node 22\.15/,
    );
  });
});
