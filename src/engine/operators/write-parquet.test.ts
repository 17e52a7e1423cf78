import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { localStorage } from '../../io/storage/local.ts';
import type { OpenSource, SourceReader } from '../contract/source.ts';
import { contextWith, failureOf } from '../sources/elements.fixture.ts';
import { parquet } from '../sources/parquet.ts';
import { range } from '../sources/range.ts';
import { writeWith } from './write.fixture.ts';
import { type ParquetCompression, parquetTo, type WriteParquetOptions } from './write-parquet.ts';

const folder = mkdtempSync(join(tmpdir(), 'write-parquet-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'out.parquet');

async function readAll(): Promise<unknown[]> {
  const reader = (await (parquet(path).node.source as OpenSource)(contextWith())) as SourceReader;
  const all: unknown[] = [];
  while ((await reader.read(all, 100)) > 0);
  await reader.close();
  return all;
}

async function returned(elements: Iterable<unknown>, options: WriteParquetOptions = {}): Promise<unknown[]> {
  await writeWith(parquetTo(path, options), elements);
  return readAll();
}

const metadata = (): ReturnType<typeof parquetMetadata> =>
  parquetMetadata(Uint8Array.from(localStorage.readFile(path)).buffer);

const day = (text: string): Date => new Date(`${text}T00:00:00Z`);

describe('a Parquet file', () => {
  it('holds values of every type, and nulls of each', async () => {
    const row = {
      string: 'Grüße "😀"\n',
      boolean: true,
      int32: -(2 ** 31),
      int64: 2n ** 63n - 1n,
      float: 0.5,
      double: Math.PI,
      timestamp: new Date(1_234_567_890_123),
      date: day('1969-07-20'),
      bytes: Uint8Array.of(0, 255, 128),
      json: { list: [1, 'a', null], deep: { x: true } },
    };
    const none = Object.fromEntries(Object.keys(row).map(name => [name, null]));
    const columns = Object.fromEntries(Object.keys(row).map(name => [name, name])) as WriteParquetOptions['columns'] &
      object;
    expect(await returned([row, {}, row, none], { columns })).toEqual([row, none, row, none]);
    expect(await returned([], { columns })).toEqual([]);
  });

  it('tells types by the values of the first row group', async () => {
    const rows = [
      { a: null, text: 'x', n: 1, big: 1n, ok: false, at: new Date(5), raw: Uint8Array.of(1) },
      { a: 2, text: null, n: 0.5, big: -1n, ok: true, at: null, raw: null, late: 'came later' },
    ];
    const [first, second] = rows;
    expect(await returned(rows)).toEqual([{ ...first, late: null }, second]);
  });

  it('takes whole numbers as int64, and only columns that were named', async () => {
    const rows = [{ id: 3, text: 'a', other: [] }, { id: -4n }];
    expect(await returned(rows, { columns: { text: 'string', id: 'int64' } })).toEqual([
      { text: 'a', id: 3n },
      { text: null, id: -4n },
    ]);
  });

  it.each<ParquetCompression>(['snappy', 'gzip', 'none'])('is compressed with %s', async compression => {
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id: BigInt(id), text: `text ${id % 7}` }));
    expect(await returned(rows, { compression })).toEqual(rows);
    const codec = compression === 'none' ? 'UNCOMPRESSED' : compression.toUpperCase();
    expect(metadata().row_groups[0]?.columns[0]?.meta_data?.codec).toBe(codec);
  });

  it.runIf('zstdCompressSync' in zlib)('is compressed with zstd', async () => {
    const rows = Array.from({ length: 300 }, (_, id) => ({ id }));
    expect(await returned(rows, { compression: 'zstd' })).toEqual(rows);
  });

  it.skipIf('zstdCompressSync' in zlib)('says which Node writes zstd', () => {
    const refused = failureOf(() => range(1).writeParquet(path, { compression: 'zstd' }));
    expect(refused).toMatch(/^VENTURI_CODEC_MISSING .*cannot write zstd \/ use Node 22\.15/);
  });

  it('has row groups of the size asked for, so that no more waits in memory', async () => {
    const rows = Array.from({ length: 2000 }, (_, id) => ({ id, text: 'x'.repeat(1000) }));
    expect(await returned(rows, { rowGroupBytes: 100_000 })).toEqual(rows);
    const groups = metadata().row_groups.map(({ num_rows: count }) => Number(count));
    expect(groups).toHaveLength(21);
    expect(Math.max(...groups)).toBe(97);
  });

  it('gives back what was written, whatever the values and wherever row groups end', async () => {
    const row = fc.record({
      text: fc.option(fc.string({ unit: 'grapheme' })),
      n: fc.option(fc.double()),
      big: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
      ok: fc.option(fc.boolean()),
      at: fc.option(fc.date({ noInvalidDate: true })),
      raw: fc.option(fc.uint8Array({ maxLength: 9 })),
    });
    const columns = {
      text: 'string',
      n: 'double',
      big: 'int64',
      ok: 'boolean',
      at: 'timestamp',
      raw: 'bytes',
    } as const;
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 200 }),
        fc.integer({ min: 1, max: 2000 }),
        async (rows, rowGroupBytes) => {
          expect(await returned(rows, { columns, rowGroupBytes })).toEqual(rows);
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each<[unknown[], WriteParquetOptions, string]>([
    [[{ a: 1 }, { a: 'text' }], {}, "column 'a' holds text, and its type is double"],
    [[{ a: [1] }], {}, "column 'a' holds an array: keep it as text with columns: { \"a\": 'json'"],
    [[{ a: 2 ** 31 }], { columns: { a: 'int32' } }, 'the number 2147483648, and its type is int32'],
    [[{ a: 0.5 }], { columns: { a: 'int64' } }, 'its type is int64'],
    [[{ a: 2n ** 63n }], { columns: { a: 'int64' } }, 'its type is int64'],
    [[{ a: new Date(Number.NaN) }], { columns: { a: 'timestamp' } }, 'an invalid date'],
    [[{ a: () => 1 }], { columns: { a: 'json' } }, 'a function'],
    [[{ a: 1 }, { a: 1, b: 1 }], { rowGroupBytes: 1 }, "column 'b' was not there before"],
    [[{ a: null }], {}, "column 'a' has no value in the first 1 rows"],
    [[], {}, 'no element told its columns'],
    [['text'], {}, 'text is not an object'],
  ])('is not left behind where it cannot hold an element: %o', async (elements, options, message) => {
    rmSync(path, { force: true });
    await expect(returned(elements, options)).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused with options that make none', () => {
    const refused = (options: object): string => failureOf(() => range(1).writeParquet(path, options));
    expect(refused({ columns: { a: 'varchar' } })).toContain("column 'a' has the type varchar / give one of string");
    expect(refused({ columns: {} })).toContain('columns is empty');
    expect(refused({ compression: 'lzo' })).toContain('compression is lzo');
    expect(refused({ rowGroupBytes: 0 })).toContain('rowGroupBytes is 0');
  });
});
