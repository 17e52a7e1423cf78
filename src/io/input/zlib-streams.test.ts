import { createHook } from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib, { constants } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { OpenSource, SourceReader } from '../../engine/contract/source.ts';
import { writeWith } from '../../engine/operators/write.fixture.ts';
import { parquetTo } from '../../engine/operators/write-parquet.ts';
import { contextWith, elementsOf, failureOf } from '../../engine/sources/elements.fixture.ts';
import { lines } from '../../engine/sources/lines.ts';
import { parquet } from '../../engine/sources/parquet.ts';
import { type Compression, gzip, zstd } from './compression.ts';
import { Decompressor } from './decompressor.ts';
import { type ZlibStream, ZlibStreams } from './zlib-streams.ts';

const folder = mkdtempSync(join(tmpdir(), 'zlib-streams-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Absent before Node 22.15. */
const { createZstdDecompress, zstdCompressSync } = zlib as unknown as {
  readonly createZstdDecompress?: () => ZlibStream;
  readonly zstdCompressSync: (bytes: Uint8Array) => Buffer;
};

/** Streams that are counted as they are made. */
function counted(make: () => unknown) {
  let made = 0;
  const streams = new ZlibStreams(() => {
    made++;
    return make() as ZlibStream;
  });
  return { streams, made: () => made };
}

/** A decompressor of `stored`, which gets 1,000 bytes of it at a time. */
function opened(stored: Uint8Array, compression: Compression): Decompressor {
  let position = 0;
  return new Decompressor(
    'a file',
    (target, at, length) => {
      const part = stored.subarray(position, position + Math.min(length, 1000));
      target.set(part, at);
      position += part.length;
      return part.length;
    },
    compression,
  );
}

function readWhole(stored: Uint8Array, compression: Compression): Buffer {
  const file = opened(stored, compression);
  try {
    const parts: Buffer[] = [];
    for (;;) {
      const part = Buffer.alloc(777);
      const length = file.readInto(part, 0, part.length);
      if (length === 0) return Buffer.concat(parts);
      parts.push(part.subarray(0, length));
    }
  } finally {
    file.close();
  }
}

/** Numbers that do not compress well, so that data has a middle. */
const textOf = (seed: number): Buffer =>
  Buffer.from(Array.from({ length: 2000 }, (_, at) => String((at * 7919 * (seed + 1)) % 104_729)).join(','));

type Way = [string, Compression, () => unknown, (bytes: Uint8Array) => Buffer];

describe.each([
  ['gzip', gzip, () => zlib.createGunzip(), bytes => zlib.gzipSync(bytes)] satisfies Way,
  ...(createZstdDecompress === undefined ? [] : [['zstd', zstd, createZstdDecompress, zstdCompressSync] satisfies Way]),
])('files in %s', (_name, compression, make, pack) => {
  const counting = () => {
    const { streams, made } = counted(make);
    return { compression: { ...compression, streams: () => streams }, made };
  };

  it('are read by one stream, one after the other, of one member or several', () => {
    const { compression: one, made } = counting();
    for (let file = 0; file < 20; file++) {
      const members = [textOf(file), textOf(file + 1)].slice(0, 1 + (file % 2));
      expect(readWhole(Buffer.concat(members.map(pack)), one).equals(Buffer.concat(members))).toBe(true);
    }
    expect(made()).toBe(1);
  });

  it('are right behind one that was left at its beginning, in its middle and before its end', () => {
    const { compression: one, made } = counting();
    const stored = pack(textOf(1));
    for (const bytes of [0, 1, 500, textOf(1).length - 1]) {
      const left = opened(stored, one);
      if (bytes > 0) left.readInto(new Uint8Array(bytes), 0, bytes);
      left.close();
      expect(readWhole(pack(textOf(2)), one).equals(textOf(2)), `after ${bytes} bytes`).toBe(true);
    }
    expect(made()).toBe(1);
  });

  it('are right behind a damaged one, whose stream is not used again', () => {
    const { compression: one, made } = counting();
    const stored = pack(textOf(1));
    const damaged = Buffer.from(stored).fill(0xff, 4, 104);
    for (const bad of [damaged, stored.subarray(0, stored.length >> 1), Buffer.from('plain text')]) {
      const before = made();
      expect(failureOf(() => readWhole(bad, one))).toContain('VENTURI_BAD_RECORD');
      expect(readWhole(stored, one).equals(textOf(1))).toBe(true);
      expect(made()).toBe(Math.max(1, before) + 1);
    }
  });

  it('may be open together', () => {
    const { compression: one, made } = counting();
    for (let pass = 0; pass < 2; pass++) {
      const files = Array.from({ length: 5 }, (_, at) => opened(pack(textOf(at)), one));
      const parts = files.map((): Buffer[] => []);
      for (let more = true; more; ) {
        more = false;
        for (const [at, file] of files.entries()) {
          const part = Buffer.alloc(300);
          const length = file.readInto(part, 0, 300);
          parts[at]?.push(part.subarray(0, length));
          more ||= length > 0;
        }
      }
      for (const file of files) file.close();
      for (const [at, part] of parts.entries()) expect(Buffer.concat(part).equals(textOf(at))).toBe(true);
      expect(made()).toBe(5);
    }
  });

  it('cannot be read once closed, and closing twice gives a stream back once', () => {
    const { compression: one, made } = counting();
    const file = opened(pack(textOf(1)), one);
    file.close();
    file.close();
    expect(() => file.readInto(new Uint8Array(1), 0, 1)).toThrow('a file is closed');
    const [first, second] = [opened(pack(textOf(1)), one), opened(pack(textOf(2)), one)];
    expect(made()).toBe(2);
    first.close();
    second.close();
  });
});

describe('idle streams', () => {
  it('are at most 16; the rest is closed', () => {
    const { streams, made } = counted(() => zlib.createGunzip());
    const taken = Array.from({ length: 40 }, () => streams.take());
    for (const stream of taken) streams.giveBack(stream);
    expect(taken.filter(({ _handle: handle }) => handle === null)).toHaveLength(24);
    for (let again = 0; again < 20; again++) streams.take();
    expect(made()).toBe(44);
  });
});

describe('data converted as a whole', () => {
  it('may be empty, larger than expected, and of several members', () => {
    const { streams, made } = counted(() => zlib.createGunzip());
    const unpack = (bytes: Uint8Array, most?: number): Buffer =>
      Buffer.from(streams.convert(bytes, constants.Z_FINISH, most));
    const zeros = Buffer.alloc(5_000_000);
    expect(unpack(zlib.gzipSync('')).length).toBe(0);
    expect(unpack(zlib.gzipSync(zeros)).equals(zeros)).toBe(true);
    expect(unpack(zlib.gzipSync(zeros), zeros.length).equals(zeros)).toBe(true);
    expect(String(unpack(Buffer.concat([zlib.gzipSync('a'), zlib.gzipSync('b')])))).toBe('ab');
    expect(made()).toBe(1);
  });

  it('is refused where it is more than may be, damaged or cut', () => {
    const { streams, made } = counted(() => zlib.createBrotliDecompress());
    const unpack = (bytes: Uint8Array, most?: number): string =>
      String(Buffer.from(streams.convert(bytes, constants.BROTLI_OPERATION_FINISH, most)));
    const packed = zlib.brotliCompressSync('some text');
    expect(() => unpack(packed, 8)).toThrow('there are more than 8 bytes in it');
    expect(unpack(packed, 9)).toBe('some text');
    expect(made()).toBe(1);
    expect(() => unpack(Buffer.from('no brotli at all'))).toThrow('Decompression failed');
    expect(() => unpack(packed.subarray(0, -1))).toThrow('unexpected end of file');
    expect(unpack(packed)).toBe('some text');
    expect(made()).toBe(3);
  });
});

/** How many streams Node makes meanwhile, by whichever of its functions. */
async function streamsMade(work: () => Promise<void>): Promise<number> {
  let made = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'ZLIB') made++;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return made;
}

describe('a thread', () => {
  it('is seen making streams', async () => {
    expect(await streamsMade(async () => void zlib.gunzipSync(zlib.gzipSync('')))).toBe(2);
  });

  const golden = (name: string): string =>
    fileURLToPath(new URL(`../../engine/sources/golden/${name}.parquet`, import.meta.url));
  async function rowsOf(path: string): Promise<unknown[]> {
    const reader = (await (parquet(path).node.source as OpenSource)(contextWith())) as SourceReader;
    const rows: unknown[] = [];
    while ((await reader.read(rows, 100)) > 0);
    await reader.close();
    return rows;
  }

  it('makes no stream for files of lines and pages in gzip and brotli once it has one of each', async () => {
    const paths = Array.from({ length: 5 }, (_, at) => {
      const path = join(folder, `${at}.txt.gz`);
      writeFileSync(path, zlib.gzipSync(`${at}\nx\n`));
      return path;
    });
    const plain = await rowsOf(golden('plain'));
    expect(await rowsOf(golden('gzip'))).toEqual(plain);
    expect(await rowsOf(golden('brotli'))).toEqual(plain);
    const made = await streamsMade(async () => {
      expect(elementsOf(lines(paths), 100)).toEqual(['0', 'x', '1', 'x', '2', 'x', '3', 'x', '4', 'x']);
      expect(await rowsOf(golden('gzip'))).toEqual(plain);
      expect(await rowsOf(golden('brotli'))).toEqual(plain);
    });
    expect(made).toBe(0);
  });

  it('makes no stream for columns and row groups that it writes once it has one', async () => {
    const path = join(folder, 'written.parquet');
    const rows = Array.from({ length: 300 }, (_, id) => ({ id, text: 'x'.repeat(1000) }));
    const write = parquetTo(path, { compression: 'gzip', rowGroupBytes: 100_000 });
    await writeWith(write, rows.slice(0, 1));
    expect(await rowsOf(path)).toEqual(rows.slice(0, 1));
    const made = await streamsMade(async () => {
      await writeWith(write, rows);
      expect(await rowsOf(path)).toEqual(rows);
    });
    expect(made).toBe(0);
  });
});
