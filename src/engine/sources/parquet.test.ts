import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { make } from '../../../bench/sources/data.mjs';
import { checkRle } from '../../io/formats/parquet-rle.ts';
import { rowBuilder } from '../../io/formats/parquet-row.ts';
import { localStorage } from '../../io/storage/local.ts';
import type { Storage } from '../../io/storage/storage.ts';
import { VenturiError } from '../../model/errors.ts';
import type { OpenSource, SourceReader } from '../contract/source.ts';
import { contextWith } from './elements.fixture.ts';
import { type ParquetOptions, parquet } from './parquet.ts';

// Written by pyarrow, and the same rows by Python's json: golden/parquet.py.
const golden = (name: string): string => fileURLToPath(new URL(`./golden/${name}`, import.meta.url));

interface Written {
  readonly id: number;
  readonly word: string | null;
  readonly tags: readonly (string | null)[] | null;
  readonly day: string;
  readonly raw: readonly number[];
  readonly [column: string]: unknown;
}

/** What JSON cannot hold is told apart here. */
const rows = (JSON.parse(readFileSync(golden('rows.json'), 'utf8')) as Written[]).map(row => ({
  ...row,
  id: BigInt(row.id),
  day: new Date(`${row.day}T00:00:00Z`),
  raw: Uint8Array.from(row.raw),
}));

const folder = mkdtempSync(join(tmpdir(), 'parquet-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function open(paths: string | readonly string[], options?: ParquetOptions, memory?: number): SourceReader {
  const source = parquet(paths, options).node.source as OpenSource;
  return source(contextWith(memory)) as SourceReader;
}

async function readAll(
  paths: string | readonly string[],
  options?: ParquetOptions,
  memory?: number,
): Promise<unknown[]> {
  const reader = open(paths, options, memory);
  const all: unknown[] = [];
  let before = 0;
  try {
    while ((await reader.read(all, 7)) > 0) {
      const done = reader.done() ?? 0;
      expect(done).toBeGreaterThanOrEqual(before);
      before = done;
    }
    expect(reader.done()).toBe(1);
    return all;
  } finally {
    await reader.close();
  }
}

describe('parquet', () => {
  it.each(['plain', 'dictionary', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4', 'v2'])('reads %s', async name => {
    expect(await readAll(golden(`${name}.parquet`))).toEqual(rows);
  });

  it('reads several files one after the other, some without rows', async () => {
    const files = ['plain', 'empty', 'zstd', 'empty'].map(name => golden(`${name}.parquet`));
    expect(await readAll(files)).toEqual([...rows, ...rows]);
  });

  it('gives only the columns asked for, in their order, and reads only their bytes', async () => {
    let bytes = 0;
    const counting: Storage = {
      ...localStorage,
      open(path) {
        const file = localStorage.open(path);
        const read = (into: Uint8Array, position: number): number => {
          bytes += into.length;
          return file.read(into, position);
        };
        return { size: file.size, read, close: () => file.close() };
      },
    };
    const options = { columns: ['word', 'id'], storage: counting };
    const all = await readAll(golden('plain.parquet'), options);
    expect(all).toEqual(rows.map(({ word, id }) => ({ word, id })));
    expect(Object.keys(all[0] as object)).toEqual(['word', 'id']);
    const some = bytes;
    bytes = 0;
    await readAll(golden('plain.parquet'), { storage: counting });
    expect(some).toBeLessThan(bytes);
  });

  it('reads a row group when its first row is asked for, and no sooner', async () => {
    let reads = 0;
    const counting: Storage = {
      ...localStorage,
      open(path) {
        const file = localStorage.open(path);
        const read = (into: Uint8Array, position: number): number => {
          reads++;
          return file.read(into, position);
        };
        return { size: file.size, read, close: () => file.close() };
      },
    };
    const reader = open(golden('plain.parquet'), { columns: ['id'], storage: counting });
    const into: unknown[] = [];
    while (into.length < 50) await reader.read(into, 50 - into.length);
    const afterFirst = reads;
    await reader.read(into, 1);
    expect(reads).toBe(afterFirst + 1);
    await reader.close();
  });

  it('keeps a column of any name a plain key', () => {
    const build = rowBuilder(['__proto__', 'a"b\n'])([[{ x: 1 }], [undefined]]);
    const row = build(0);
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
    expect(Object.entries(row)).toEqual([
      ['__proto__', { x: 1 }],
      ['a"b\n', null],
    ]);
  });

  it('says which columns there are where one is missing', async () => {
    await expect(readAll(golden('plain.parquet'), { columns: ['idd'] })).rejects.toMatchObject({
      code: 'VENTURI_BAD_OPTION',
      message: expect.stringContaining("no column 'idd'"),
      remedy: expect.stringContaining("'id', 'count'"),
    });
  });

  it('names a file that is missing before it reads any', () => {
    expect(() => open([golden('plain.parquet'), golden('none.parquet')])).toThrow(
      expect.objectContaining({ code: 'VENTURI_SOURCE_UNREADABLE', message: expect.stringContaining('none.parquet') }),
    );
  });
});

describe('a damaged parquet file', () => {
  const path = join(folder, 'damaged.parquet');
  const whole = readFileSync(golden('gzip.parquet'));

  it('that is cut short is named, wherever the cut is', async () => {
    for (let length = 0; length < whole.length; length += 193) {
      writeFileSync(path, whole.subarray(0, length));
      await expect(readAll(path)).rejects.toMatchObject({
        code: 'VENTURI_BAD_RECORD',
        message: expect.stringContaining(path),
        remedy: expect.any(String),
      });
    }
  });

  it('that is not Parquet is named', async () => {
    writeFileSync(path, 'id,name\n1,a\n2,b\n');
    await expect(readAll(path)).rejects.toMatchObject({ code: 'VENTURI_BAD_RECORD' });
  });

  it('says which column of which rows cannot be read', async () => {
    const bytes = Uint8Array.from(whole);
    bytes.fill(0x55, 60, 200);
    writeFileSync(path, bytes);
    await expect(readAll(path)).rejects.toMatchObject({
      code: 'VENTURI_BAD_RECORD',
      message: expect.stringContaining("column 'id' of row group 0 (rows 0-49) cannot be decoded"),
    });
  });

  it.each(['gzip', 'plain', 'dictionary', 'v2'])(
    '(%s) never fails in another way, whichever byte is wrong',
    async name => {
      const intact = readFileSync(golden(`${name}.parquet`));
      let refused = 0;
      for (let at = 0; at < intact.length; at += 89) {
        const bytes = Uint8Array.from(intact);
        bytes[at] = (bytes[at] ?? 0) ^ 0xff;
        writeFileSync(path, bytes);
        try {
          await readAll(path);
        } catch (error) {
          refused++;
          expect(error).toBeInstanceOf(VenturiError);
          expect((error as VenturiError).code).toBe('VENTURI_BAD_RECORD');
        }
      }
      expect(refused).toBeGreaterThan(20);
    },
  );

  it('with a run that claims more values than there are is refused, not decoded', async () => {
    const bytes = Uint8Array.from(readFileSync(golden('plain.parquet')));
    // Found by trying all: decoded, it would take more memory than there is.
    bytes[1780] = (bytes[1780] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
    await expect(readAll(path)).rejects.toMatchObject({
      message: expect.stringMatching(/the length of a run is cut short/),
    });
  });

  it('with a schema that is no tree is refused', async () => {
    const bytes = Buffer.from(readFileSync(golden('dictionary.parquet')));
    // The number of fields of 'point', made negative.
    const at = bytes.indexOf(Buffer.from('\x05point\x15\x04', 'latin1')) + 7;
    bytes[at] = 5;
    writeFileSync(path, bytes);
    await expect(readAll(path)).rejects.toMatchObject({ message: expect.stringContaining('its schema is no tree') });
  });

  it('is always noticed in pages that have a checksum', async () => {
    const intact = readFileSync(golden('checksum.parquet'));
    expect(await readAll(golden('checksum.parquet'))).toEqual(rows.map(({ id, word, tags }) => ({ id, word, tags })));
    // With its length in front: the word in its page, not in the statistics.
    const first = intact.indexOf('\x05\0\0\0alpha');
    for (const at of [first, first + 4, first + 8]) {
      const bytes = Uint8Array.from(intact);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(path, bytes);
      await expect(readAll(path)).rejects.toMatchObject({ message: expect.stringContaining('checksum is wrong') });
    }
  });
});

describe('runs', () => {
  it.each([
    ['a run of one value', [100 << 1, 1], 1, 100],
    ['packed values and padding', [(2 << 1) | 1, 0xff, 0xff], 1, 10],
    ['a run after packed values', [(1 << 1) | 1, 0, 0, 5 << 1, 3], 2, 13],
  ])('%s are fine', (_, data, width, count) => {
    expect(() => checkRle(Uint8Array.from(data), width, count)).not.toThrow();
  });

  it.each([
    ['a run that is too long', [101 << 1, 1], 1, 100],
    ['packed values that are too many', [(3 << 1) | 1, 0, 0, 0], 1, 10],
    ['a length without an end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 1, 100],
    ['a length that is cut short', [0x80], 1, 100],
  ])('%s is not', (_, data, width, count) => {
    expect(() => checkRle(Uint8Array.from(data), width, count)).toThrow(/too long|cut short/);
  });
});

interface Page {
  readonly id: bigint;
  readonly price: number;
  readonly title: string;
  readonly body: Uint8Array;
}

describe('parquet in little memory', () => {
  const flat = ['id', 'count', 'price', 'word', 'flag', 'day', 'raw'];
  const path = join(folder, 'pages.parquet');
  const written = make('parquet', path, 5e6);

  it.each(['plain', 'dictionary', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4', 'v2'])(
    'gives the same rows of %s page by page',
    async name => {
      const whole = await readAll(golden(`${name}.parquet`), { columns: flat });
      expect(await readAll(golden(`${name}.parquet`), { columns: flat }, 4000)).toEqual(whole);
    },
  );

  it('reads a row group of many pages a few at a time, each byte once', async () => {
    const reads: { readonly from: number; readonly to: number }[] = [];
    const storage: Storage = {
      ...localStorage,
      open(where) {
        const file = localStorage.open(where);
        return {
          size: file.size,
          read(into, position) {
            reads.push({ from: position, to: position + into.length });
            return file.read(into, position);
          },
          close: () => file.close(),
        };
      },
    };
    const whole = (await readAll(path, { storage }, 1e9)) as Page[];
    expect(whole.map(({ id }) => Number(id))).toEqual(Array.from({ length: written }, (_, row) => row));
    const largest = (): number => Math.max(...reads.map(({ from, to }) => to - from));
    expect(largest()).toBeGreaterThan(4e6);
    reads.length = 0;
    const paged = (await readAll(path, { storage }, 2e6)) as Page[];
    expect(paged.length).toBe(whole.length);
    const differs = ({ id, price, title, body }: Page, at: number): boolean => {
      const same = whole[at];
      return id !== same?.id || price !== same.price || title !== same.title || Buffer.compare(body, same.body) !== 0;
    };
    expect(paged.findIndex(differs)).toBe(-1);
    expect(largest()).toBeLessThan(1.1e6);
    const { size } = statSync(path);
    const sorted = reads.filter(({ to }) => to < size - 1000).sort((a, b) => a.from - b.from);
    expect(sorted.length).toBeGreaterThan(4);
    for (const [at, { to }] of sorted.entries()) expect(sorted[at + 1]?.from ?? to).toBeGreaterThanOrEqual(to);
  });

  it('says how large what cannot be divided is', async () => {
    await expect(readAll(path, {}, 5e5)).rejects.toMatchObject({
      code: 'VENTURI_BUDGET_TOO_SMALL',
      message: expect.stringMatching(/a page of column 'body' of row group 0 .* takes 1\.05 MB decoded/),
    });
    await expect(readAll(golden('plain.parquet'), {}, 4000)).rejects.toMatchObject({
      code: 'VENTURI_BUDGET_TOO_SMALL',
      message: expect.stringMatching(/row group 0, whose lists and structures are decoded whole, takes/),
      remedy: expect.stringContaining('times its memory'),
    });
  });

  it('never fails in another way either, whichever byte is wrong', async () => {
    const intact = readFileSync(golden('dictionary.parquet'));
    const broken = join(folder, 'broken.parquet');
    let refused = 0;
    for (let at = 0; at < intact.length; at += 97) {
      const bytes = Uint8Array.from(intact);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      writeFileSync(broken, bytes);
      try {
        await readAll(broken, { columns: flat }, 4000);
      } catch (error) {
        refused++;
        expect(error).toBeInstanceOf(VenturiError);
        expect((error as VenturiError).code).toMatch(/^VENTURI_(BAD_RECORD|BAD_OPTION|BUDGET_TOO_SMALL)$/);
      }
    }
    expect(refused).toBeGreaterThan(20);
  });

  it('finds a damaged page while it reads page by page', async () => {
    const bytes = Buffer.from(readFileSync(path));
    const broken = join(folder, 'broken.parquet');

    // The first page's header.
    bytes.fill(0xff, 4, 24);
    writeFileSync(broken, bytes);
    await expect(readAll(broken, {}, 2e6)).rejects.toMatchObject({ code: 'VENTURI_BAD_RECORD' });
  });
});
