import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSeries, type SourceReader } from '../contract/source.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { csv } from './csv.ts';
import { contextWith } from './elements.fixture.ts';
import { files } from './files.ts';
import { glob } from './glob.ts';
import { jsonl, lines } from './lines.ts';
import { objects } from './objects.ts';
import { parquet } from './parquet.ts';
import { tar } from './tar.ts';
import { webdataset } from './tar-samples.ts';
import { archive, entry } from './tar-writer.fixture.ts';
import { tfrecords } from './tfrecord.ts';

const golden = (name: string): string => fileURLToPath(new URL(`golden/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'positions-'));

function write(name: string, data: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, data);
  return path;
}

let server: Server;
let address = '';
beforeAll(async () => {
  server = createServer((request, response) => response.end(`body of ${request.url}`));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const texts = Array.from({ length: 40 }, (_, at) => `línea ${at} ${'x'.repeat((at * 7919) % 50)}`);
const plain = write('plain.txt', `${texts.join('\n')}\n`);
const windows = write(
  'windows.txt',
  `${texts.slice(0, 9).join('\r\n')}\r\n${'z'.repeat(300_000)}\r\nlast without an end`,
);
const empty = write('empty.txt', '');
const json = write(
  'values.jsonl',
  texts.map((text, at) => (at % 5 === 0 ? '\n' : `${JSON.stringify({ text })}\n`)).join(''),
);
const table = `name,size\n${texts.map((text, at) => `"${text}, ""so""",${at}`).join('\n')}\n`;
const rows = write('rows.csv', table);
const more = write('more.csv', `name,size\nlast,7\n\n"two\nlines",8\n`);
const packed = write('packed.csv.gz', gzipSync(table));
const samples = (prefix: string): Buffer =>
  archive(
    ...texts
      .slice(0, 9)
      .flatMap((text, at) => [entry(`${prefix}${at}.txt`, text), entry(`${prefix}${at}.cls`, `${at}`)]),
  );
const shard = write('shard.tar', samples('a'));
const packedShard = write('packed.tar.gz', gzipSync(samples('b')));
mkdirSync(join(folder, 'tree', 'inner'), { recursive: true });
for (const at of [1, 2, 3, 4, 5]) {
  write(`tree/${at}.bin`, 'x'.repeat(at));
  write(`tree/inner/${at}.bin`, 'y'.repeat(at));
}

const CASES: Record<string, () => Pipeline<unknown>> = {
  lines: () => lines([plain, empty, windows, plain]),
  jsonl: () => jsonl([json, json]),
  csv: () => csv([rows, more]),
  'csv, inflated': () => csv([packed, more]),
  'csv, types guessed': () => csv([rows, more, rows], { types: 'guess' }),
  'csv without names': () => csv([rows, more], { columns: false }),
  'csv with given names': () => csv([rows], { columns: ['a', 'b'] }),
  tfrecords: () => tfrecords([golden('examples.tfrecord'), golden('examples.tfrecord')]),
  'tar, as three programs write it': () => tar([golden('ustar.tar'), golden('gnu.tar'), golden('pax.tar')]),
  'tar, inflated': () => tar([golden('shard.tar.gz'), packedShard]),
  webdataset: () => webdataset([shard, packedShard, golden('shard.tar.gz')]),
  parquet: () => parquet([golden('snappy.parquet'), golden('empty.parquet'), golden('plain.parquet')]),
  'files in a folder': () => files(join(folder, 'tree')),
  'files in a list': () => files([plain, windows, empty]),
  glob: () => glob('tree/**/*.bin', { cwd: folder }),
  objects: () => objects([1, 2, 3, 4, 5, 6].map(at => `${address}/${at}`)),
};

function open(pipeline: Pipeline<unknown>, from?: unknown, memory?: number): SourceReader | Promise<SourceReader> {
  const { source } = pipeline.node;
  if (source === undefined || isSeries(source)) throw new Error('not a source that reads');
  return source(contextWith(memory, from));
}

/** Up to `count` elements of a reader, `limit` at a time. */
async function take(reader: SourceReader, count: number, limit: number): Promise<unknown[]> {
  const elements: unknown[] = [];
  while (elements.length < count) {
    const read = await reader.read(elements, Math.min(limit, count - elements.length));
    if (read === 0) break;
  }
  return elements;
}

describe('a source goes on where its reader says it is', () => {
  it.each(Object.keys(CASES))('%s', async name => {
    const pipeline = CASES[name]?.() as Pipeline<unknown>;
    const reader = await open(pipeline);
    const all = await take(reader, Number.POSITIVE_INFINITY, 1000);
    await reader.close();
    expect(all.length).toBeGreaterThan(2);
    for (let count = 0; count <= all.length; count += 1 + Math.floor(all.length / 60)) {
      const first = await open(pipeline);
      await take(first, count, 1 + (count % 4));
      const saved = deserialize(serialize(first.position?.())) as unknown;
      expect(saved).toBeDefined();
      await first.close();
      const second = await open(pipeline, saved);
      // Asked at once, it is where it was told to be.
      expect(second.position?.()).toEqual(saved);
      expect(await take(second, Number.POSITIVE_INFINITY, 3), `after ${count}`).toEqual(all.slice(count));
      await second.close();
    }
  });

  it('in a row group that is decoded in parts', async () => {
    const pipeline = parquet(golden('plain.parquet'), { columns: ['id', 'word'] });
    const reader = await open(pipeline);
    const all = await take(reader, Number.POSITIVE_INFINITY, 1000);
    await reader.close();
    const first = await open(pipeline, undefined, 20_000);
    await take(first, 7, 3);
    const second = await open(pipeline, first.position?.(), 20_000);
    expect(await take(second, Number.POSITIVE_INFINITY, 3)).toEqual(all.slice(7));
  });
});
