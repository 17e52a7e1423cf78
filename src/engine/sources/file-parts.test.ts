import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { dividedSource } from '../compile/node.ts';
import type { Part } from '../contract/source.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { csv } from './csv.ts';
import { openSource } from './elements.fixture.ts';
import { tar } from './tar.ts';
import { webdataset } from './tar-samples.ts';
import { archive, entry } from './tar-writer.fixture.ts';
import { tfrecords } from './tfrecord.ts';
import { record } from './tfrecord-writer.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-file-parts-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Outcome {
  readonly elements: string[];
  /** What ended it before its end. */
  readonly failure: string | undefined;
}

/** Byte arrays by their digest: to compare them byte by byte would take minutes. */
const told = (element: unknown): string =>
  JSON.stringify(element, (_, value: unknown) =>
    value instanceof Uint8Array ? createHash('sha256').update(value).digest('hex') : value,
  );

type Reads = { read(into: unknown[], limit: number): unknown; close(): unknown };

function readAll(readers: Iterable<Reads>): Outcome {
  const elements: unknown[] = [];
  let failure: string | undefined;
  try {
    for (const reader of readers) {
      try {
        while (reader.read(elements, 7) !== 0);
      } finally {
        reader.close();
      }
    }
  } catch (error) {
    failure = (error as Error).message;
  }
  return { elements: elements.map(told), failure };
}

function inParts(pipeline: Pipeline<unknown>): Outcome & { readonly parts: readonly Part[] } {
  const source = dividedSource(pipeline.node);
  if (source === undefined) throw new Error('cannot be read in parts');
  const parts = [...source.parts()];
  function* readers(): Iterable<Reads> {
    for (const part of parts) if (source !== undefined) yield source.read(part);
  }
  return { parts, ...readAll(readers()) };
}

const COMMA = 0x2c;
const filled = (length: number, at: number): Uint8Array => new Uint8Array(length).fill(at);
const text = (length: number, at: number): string => String(at % 10).repeat(length);

const cell = (size: number, at: number): string => {
  const some = text(size, at);
  if (at % 4 === 0) return `"${some}\n""${at}"", and\r\nmore"`;
  return at % 4 === 1 ? `${some} 5" disk` : some;
};

/** How files of elements of these sizes are written, and the source that reads them. */
const FORMATS: Record<string, { write(sizes: readonly number[]): Buffer; read(paths: string[]): Pipeline<unknown> }> = {
  tfrecords: {
    write: sizes => Buffer.concat(sizes.map((size, at) => record(filled(size, at)))),
    read: paths => tfrecords(paths),
  },
  csv: {
    write: sizes => {
      const rows = sizes.map((size, at) => `${at},${cell(size, at)}${at % 3 === 0 ? '\r\n' : '\n'}`);
      return Buffer.from(`number,text\n${rows.join('')}`);
    },
    read: paths => csv(paths),
  },
  tar: {
    write: sizes =>
      archive(
        ...sizes.flatMap((size, at) => [
          ...(at % 5 === 3 ? [entry('././@LongLink', `long/${'x'.repeat(150)}/${at}`, { type: 'L' })] : []),
          ...(at % 7 === 2 ? [entry(`folder${at}/`, '', { type: '5' })] : []),
          entry(`${at}.txt`, text(size, at)),
        ]),
      ),
    read: paths => tar(paths),
  },
  webdataset: {
    write: sizes =>
      archive(
        ...sizes.flatMap((size, at) => [
          // Up to three files make a sample, and some belong to none.
          entry(`${Math.floor(at / 3)}.${'abc'[at % 3]}`, text(size, at)),
          ...(at % 4 === 1 ? [entry(`README${at}`, 'no sample')] : []),
        ]),
      ),
    read: paths => webdataset(paths),
  },
};

const sizes = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.nat(40_000) },
    { weight: 1, arbitrary: fc.constantFrom(0, 262_144, 261_632, 600_000) },
  ),
  { minLength: 10, maxLength: 60 },
);

describe.each(Object.keys(FORMATS))('the parts of %s', name => {
  const format = FORMATS[name];
  if (format === undefined) throw new Error(name);
  const path = join(folder, name);

  it('hold its elements, each once and in order', () => {
    let several = 0;
    fc.assert(
      fc.property(fc.tuple(sizes, sizes), files => {
        const paths = files.map((each, at) => {
          writeFileSync(`${path}-${at}`, format.write(each));
          return `${path}-${at}`;
        });
        const { parts, ...given } = inParts(format.read(paths));
        expect(given).toEqual(readAll([openSource(format.read(paths))]));
        expect(given.failure).toBeUndefined();
        expect(parts.map(({ done }) => done)).toEqual(parts.map(({ done }) => done).toSorted((a, b) => a - b));
        expect(parts.at(-1)?.done).toBe(1);
        if (parts.length > 4) several++;
      }),
      { seed: 41, numRuns: 25 },
    );
    expect(several).toBeGreaterThan(5);
  });

  it('of a damaged file end as the file does, with the same words', () => {
    let failed = 0;
    fc.assert(
      fc.property(sizes, fc.double({ min: 0, max: 0.999, noNaN: true }), fc.boolean(), (each, share, cut) => {
        const bytes = format.write(each);
        const at = Math.floor(share * bytes.length);
        // A comma too many is what hurts a table.
        if (!cut) bytes[at] = bytes[at] === COMMA ? 0 : COMMA;
        writeFileSync(path, cut ? bytes.subarray(0, at) : bytes);
        const { parts: _, ...given } = inParts(format.read([path]));
        expect(given).toEqual(readAll([openSource(format.read([path]))]));
        if (given.failure !== undefined) failed++;
      }),
      { seed: 43, numRuns: 60 },
    );
    expect(failed).toBeGreaterThan(10);
  });

  it('of a file that turns out to be compressed are one', () => {
    const packed = `${path}-packed`;
    writeFileSync(packed, gzipSync(format.write([300_000, 20, 300_000, 300_000, 7])));
    const { parts, ...given } = inParts(format.read([packed, packed]));
    expect(parts).toHaveLength(2);
    expect(given).toEqual(readAll([openSource(format.read([packed, packed]))]));
  });

  it('are not looked for where names say that files are compressed', () => {
    expect(dividedSource(format.read(['a.tar', 'b.tar.gz']).node)).toBeUndefined();
    expect(dividedSource(format.read(['a.tar']).node)).toBeDefined();
  });
});

it('rows under other names than those of the first file are refused in parts as well', () => {
  const [one, two] = [join(folder, 'one.csv'), join(folder, 'two.csv')];
  writeFileSync(one, `a,b\n${'1,2\n'.repeat(200_000)}`);
  writeFileSync(two, `a,c\n${'1,2\n'.repeat(200_000)}`);
  const { parts, ...given } = inParts(csv([one, two]));
  expect(parts.length).toBeGreaterThan(4);
  expect(given).toEqual(readAll([openSource(csv([one, two]))]));
  expect(given.failure).toContain('names other columns than');
});

it('columns whose types are guessed are read from their beginning', () => {
  expect(dividedSource(csv('a.csv', { types: 'guess' }).node)).toBeUndefined();
});
