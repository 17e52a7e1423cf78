import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { Loss } from '../../io/input/loss.ts';
import { define } from '../api/define.ts';
import type { RunSummary } from '../contract/run.ts';
import type { OpenSource, SourceReader } from '../contract/source.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { csv } from './csv.ts';
import { contextWith, failureOf, openSource } from './elements.fixture.ts';
import { files } from './files.ts';
import { glob } from './glob.ts';
import { jsonl, lines } from './lines.ts';
import { parquet } from './parquet.ts';
import { tar } from './tar.ts';
import { webdataset } from './tar-samples.ts';
import { tfrecords } from './tfrecord.ts';
import { record } from './tfrecord-writer.fixture.ts';

const golden = (name: string): string => fileURLToPath(new URL(`./golden/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'losses-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const tfrecordFile = (payloads: readonly string[]): Buffer =>
  Buffer.concat(payloads.map(payload => record(Buffer.from(payload))));

const missing = join(folder, 'missing');
const dangling = join(folder, 'dangling');
symlinkSync(join(folder, 'nowhere'), dangling);
const inner = join(folder, 'folder');
mkdirSync(inner);

/** All elements of a source, and what it gave up: `file NAME` or `record NAME`. */
async function outcome(source: Pipeline<unknown>, from?: unknown): Promise<{ elements: unknown[]; lost: string[] }> {
  const lost: string[] = [];
  const note = ({ what, path }: Loss): number => lost.push(`${what} ${path.slice(folder.length + 1)}`);
  const open = source.node.source as OpenSource;
  const reader = (await open(contextWith(undefined, from, note))) as SourceReader;
  const elements: unknown[] = [];
  while ((await reader.read(elements, 2)) > 0);
  expect(reader.done()).toBe(1);
  await reader.close();
  return { elements, lost };
}

const skip = { onError: 'skip' } as const;
const absent = [missing, dangling, inner];
const absentLost = ['file missing', 'file dangling', 'file folder'];

describe('what cannot be read', () => {
  it.each<[string, (paths: string[], options: object) => Pipeline<unknown>, string]>([
    ['lines', lines, file('whole.txt', 'a\nb\nc\n')],
    ['jsonl', jsonl, file('whole.jsonl', '1\n2\n3\n')],
    ['csv', csv, file('whole.csv', 'a\n1\n2\n3\n')],
    ['tfrecords', tfrecords, file('whole.tfrecord', tfrecordFile(['a', 'b', 'c']))],
    ['tar', tar, golden('gnu.tar')],
    ['webdataset', webdataset, golden('shard.tar.gz')],
    ['parquet', parquet, golden('plain.parquet')],
    ['files', files, file('any', 'x')],
  ])('is left out by %s, or fails the run', async (kind, open, whole) => {
    const { elements: once } = await outcome(open([whole], {}));
    expect(once.length).toBeGreaterThan(0);
    const lenient = open([missing, whole, dangling, inner, whole], skip);
    const { elements, lost } = await outcome(lenient);
    if (kind === 'files') {
      // A folder has a size, too: whoever reads it finds out.
      expect(lost).toEqual(['file missing', 'file dangling']);
      expect(elements).toHaveLength(3);
      return;
    }
    expect(elements).toEqual([...once, ...once]);
    expect(lost).toEqual(['file missing', 'file dangling', 'file folder']);
    expect(await outcome(open(absent, skip))).toEqual({ elements: [], lost: absentLost });
    for (const path of absent) await expect(outcome(open([whole, path], {}))).rejects.toThrow('cannot read');
  });

  it('is left out in a folder: links to nothing, and folders that are locked', async () => {
    const tree = join(folder, 'tree');
    mkdirSync(join(tree, 'locked'), { recursive: true });
    writeFileSync(join(tree, 'a.txt'), '1');
    writeFileSync(join(tree, 'z.txt'), '2');
    symlinkSync('nowhere', join(tree, 'link.txt'));
    chmodSync(join(tree, 'locked'), 0);
    try {
      const isRoot = process.getuid?.() === 0;
      const lost = ['file tree/link.txt', ...(isRoot ? [] : ['file tree/locked/'])];
      for (const source of [files(tree, skip), glob('**/*.txt', { cwd: tree, ...skip })]) {
        const found = await outcome(source);
        expect(found.elements).toEqual(['a.txt', 'z.txt'].map(name => ({ path: join(tree, name), size: 1 })));
        expect(found.lost).toEqual(lost);
        expect([...((source.node.source as OpenSource).files?.() ?? [])]).toHaveLength(2);
      }
      await expect(outcome(files(tree))).rejects.toThrow('cannot read');
    } finally {
      chmodSync(join(tree, 'locked'), 0o700);
    }
  });

  it('is a line that is no JSON, a row that does not fit, a record with another checksum', async () => {
    const broken = file('broken.jsonl', '1\n{"a":\n2\n\nno\n3\n');
    expect(await outcome(jsonl(broken, skip))).toEqual({
      elements: [1, 2, 3],
      lost: ['record broken.jsonl', 'record broken.jsonl'],
    });
    const table = file('broken.csv', 'a,b\n1,2\n3\n4,5,6\n7,8\n');
    expect(await outcome(csv(table, skip))).toEqual({
      elements: [
        { a: '1', b: '2' },
        { a: '7', b: '8' },
      ],
      lost: ['record broken.csv', 'record broken.csv'],
    });
    const typed = file('typed.csv', `n\n${'1\n'.repeat(1500)}x\n2\n`);
    const guessed = await outcome(csv(typed, { types: 'guess', ...skip }));
    expect([guessed.elements.length, guessed.elements.at(-1), guessed.lost]).toEqual([
      1501,
      { n: 2 },
      ['record typed.csv'],
    ]);
    const bytes = tfrecordFile(['aaaa', 'bbbb', 'cccc']);
    bytes[20 + 13] = 0;
    const records = await outcome(tfrecords(file('broken.tfrecord', bytes), skip));
    expect(records.elements.map(String)).toEqual(
      ['aaaa', 'cccc'].map(text => String(new Uint8Array(Buffer.from(text)))),
    );
    expect(records.lost).toEqual(['record broken.tfrecord']);
  });

  it('is the rest of a file from damage on; the next one is read', async () => {
    const text = Array.from({ length: 50_000 }, (_, at) => `line ${at}`);
    const packed = gzipSync(text.join('\n'));
    const cut = file('cut.txt', packed.subarray(0, packed.length / 2));
    const next = file('next.txt', 'next\n');
    const { elements, lost } = await outcome(lines([cut, next], skip));
    expect(lost).toEqual(['file cut.txt']);
    expect(elements.at(-1)).toBe('next');
    expect(elements.slice(0, -1)).toEqual(text.slice(0, elements.length - 1));
    const half = readFileSync(golden('gnu.tar')).subarray(0, 1200);
    const archives = await outcome(tar([file('half.tar', half), golden('gnu.tar')], skip));
    expect(archives.lost).toEqual(['file half.tar']);
    const tables = await outcome(
      parquet([file('no.parquet', 'PAR1 and no more, really'), golden('plain.parquet')], skip),
    );
    expect(tables.lost).toEqual(['file no.parquet']);
    expect(tables.elements.length).toBeGreaterThan(0);
  });

  it('stays left out where a run is resumed', async () => {
    const source = jsonl([missing, file('r1.jsonl', '1\nx\n2\n'), dangling, file('r2.jsonl', '3\ny\n4\n')], skip);
    const { elements } = await outcome(source);
    for (let had = 0; had <= elements.length; had++) {
      const reader = openSource(source);
      for (let at = 0; at < had; at++) void reader.read([], 1);
      const from = JSON.parse(JSON.stringify(reader.position?.()));
      void reader.close();
      expect((await outcome(source, from)).elements).toEqual(elements.slice(had));
    }
  });

  it('is not divided among threads, and refuses a policy it does not know', () => {
    expect((lines('a', skip).node.source as OpenSource).divided).toBeUndefined();
    expect((lines('a').node.source as OpenSource).divided).toBeDefined();
    const refused = failureOf(() => csv('a', { onError: { retries: 2 } as unknown as 'skip' }));
    expect(refused).toMatch(/^VENTURI_BAD_OPTION csv: onError is .* 'skip': what cannot be read once/);
  });
});

describe('a run', () => {
  const drained = (pipeline: Pipeline<unknown>, deadLetter?: string): Promise<RunSummary> =>
    define({ url: import.meta.url }, { spec: {}, build: () => pipeline })
      .run({ parallelism: 0, ...(deadLetter !== undefined && { deadLetter }) })
      .drain();

  it('says how much was left out, names the first, and writes all of it down', async () => {
    const many = Array.from({ length: 5 }, (_, at) => join(folder, `gone-${at}`));
    const bad = file('bad.jsonl', '1\nx\n2\n');
    const deadLetter = join(folder, 'letters.jsonl');
    const summary = await drained(jsonl([...many, bad], { ...skip, name: 'read' }), deadLetter);
    expect(summary.elements).toBe(2);
    expect(summary.warnings).toEqual([
      expect.stringMatching(
        /^'read' gave up 5 files; the first were: cannot read .*gone-0: ENOENT.*gone-1.*gone-2[^;]*$/,
      ),
      expect.stringMatching(/^'read' gave up 1 record; the first was: .*bad\.jsonl:2 is not JSON/),
    ]);
    const letters = readFileSync(deadLetter, 'utf8').trim().split('\n');
    expect(letters).toHaveLength(6);
    expect(JSON.parse(letters[5] ?? '')).toMatchObject({ operator: 'read', what: 'record', path: bad });
  });

  it('says so of pipelines that elements open, alone or with operators', async () => {
    const some = files([file('i1.jsonl', '1\nx\n'), file('i2.jsonl', '2\ny\n')]);
    for (const open of [(path: string) => jsonl(path, skip), (path: string) => jsonl(path, skip).map(x => x)]) {
      const { elements, warnings } = await drained(some.interleave<unknown>(({ path }) => open(path), { name: 'all' }));
      expect(elements).toBe(2);
      expect(warnings).toEqual([expect.stringMatching(/^'all' gave up 2 records; the first were: .*i1.*i2/)]);
    }
  });

  it('can keep what is left in a cache', async () => {
    const source = jsonl([missing, file('kept.jsonl', '1\n2\n')], skip);
    const cached = source.cache({ folder: join(folder, 'cache') });
    expect((await drained(cached)).elements).toBe(2);
    expect((await drained(cached)).elements).toBe(2);
  });
});
