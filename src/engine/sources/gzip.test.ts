import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureOf } from './elements.fixture.ts';
import { Gunzip, startsAsGzip } from './gzip.ts';

/** Inflates `stored`, which arrives `piece` bytes at a time, into room for `room` bytes at a time. */
function inflated(stored: Uint8Array, piece: number, room: number): Buffer {
  let position = 0;
  const gunzip = new Gunzip('a.gz', (target, at, length) => {
    const part = stored.subarray(position, position + Math.min(length, piece));
    target.set(part, at);
    position += part.length;
    return part.length;
  });
  try {
    const parts: Buffer[] = [];
    const target = new Uint8Array(room + 2).fill(0xee);
    for (;;) {
      const read = gunzip.readInto(target, 1, room);
      expect([target[0], target[room + 1]]).toEqual([0xee, 0xee]);
      if (read === 0) return Buffer.concat(parts);
      parts.push(Buffer.from(target.subarray(1, 1 + read)));
    }
  } finally {
    gunzip.close();
  }
}

const text = Buffer.from(Array.from({ length: 400 }, (_, i) => `line ${i * i}\n`).join(''));
const packed = gzipSync(text);

describe('Gunzip', () => {
  it('gives what was packed, however input and output are cut', () => {
    const sizes = fc.integer({ min: 1, max: 5000 });
    const members = fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(members, sizes, sizes, (parts, piece, room) => {
        const stored = Buffer.concat(parts.map(part => gzipSync(part)));
        expect(inflated(stored, piece, room).equals(Buffer.concat(parts))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('passes over zeros after the last member, as tapes and disks leave them', () => {
    const padded = Buffer.concat([packed, Buffer.alloc(1000)]);
    expect(inflated(padded, 100_000, 700).equals(text)).toBe(true);
    expect(inflated(padded, 3, 700).equals(text)).toBe(true);
  });

  it('inflates far more than it holds', () => {
    const zeros = gzipSync(Buffer.alloc(32 * 1024 * 1024));
    let position = 0;
    const gunzip = new Gunzip('zeros.gz', (target, at, length) => {
      const part = zeros.subarray(position, position + length);
      target.set(part, at);
      position += part.length;
      return part.length;
    });
    const target = new Uint8Array(4096);
    const before = process.memoryUsage().arrayBuffers;
    let total = 0;
    for (let read = 1; read > 0; total += read) read = gunzip.readInto(target, 0, target.length);
    expect(total).toBe(32 * 1024 * 1024);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
    gunzip.close();
  });

  it('says so where the data ends too early, wherever that is', () => {
    for (const length of [0, 1, 5, 10, 11, packed.length >> 1, packed.length - 8, packed.length - 1]) {
      const message = failureOf(() => inflated(packed.subarray(0, length), 64, 64));
      expect(message, `${length} bytes`).toMatch(/^VENTURI_BAD_RECORD a\.gz ends inside its gzip data/);
    }
  });

  it('says where data is damaged', () => {
    const damaged = Buffer.from(packed);
    damaged.writeUInt32LE(12345, packed.length - 8);
    expect(failureOf(() => inflated(damaged, 64, 4096))).toMatch(
      /^VENTURI_BAD_RECORD a\.gz is not gzip from byte \d+ on: incorrect data check \/ .*gzip -t/,
    );
    expect(failureOf(() => inflated(Buffer.from('plain text'), 64, 64))).toMatch(
      /from byte 0 on: incorrect header check/,
    );
    expect(failureOf(() => inflated(Buffer.concat([packed, Buffer.from('rest')]), 1e6, 64))).toMatch(
      /incorrect header/,
    );
  });
});

describe('startsAsGzip', () => {
  it('knows gzip by its first two bytes', () => {
    expect(startsAsGzip(packed)).toBe(true);
    expect(startsAsGzip(text)).toBe(false);
    expect(startsAsGzip(Uint8Array.of(0x1f))).toBe(false);
  });
});
