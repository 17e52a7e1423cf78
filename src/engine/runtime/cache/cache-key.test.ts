import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { limitedStorage } from '../../../io/storage/limited.ts';
import { placeNodes } from '../../compile/graph.ts';
import { Topology } from '../../compile/topology.ts';
import type { Context } from '../../contract/context.ts';
import { perWorker } from '../../contract/context.ts';
import { zip } from '../../description/joins.ts';
import type { Pipeline } from '../../description/pipeline.ts';
import { csv } from '../../sources/csv.ts';
import { files } from '../../sources/files.ts';
import { glob } from '../../sources/glob.ts';
import { from } from '../../sources/iterable.ts';
import { jsonl, lines } from '../../sources/lines.ts';
import { objects } from '../../sources/objects.ts';
import { parquet } from '../../sources/parquet.ts';
import { range } from '../../sources/range.ts';
import { tar } from '../../sources/tar.ts';
import { webdataset } from '../../sources/tar-samples.ts';
import { tfrecords } from '../../sources/tfrecord.ts';
import { cacheKey, filesOf, type KeyParts } from './cache-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'cache-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'data.txt');
writeFileSync(file, 'one\n');

const keyOf = (pipeline: Pipeline<unknown>, parts: Partial<KeyParts> = {}): string => {
  const topology = new Topology(placeNodes(pipeline.node));
  const cache = topology.nodes.find(({ node }) => node.kind === 'cache');
  if (cache === undefined) throw new Error('no cache');
  return cacheKey(topology, cache, filesOf(topology, cache), { params: {}, seed: 0, ...parts });
};

const add = (x: number): number => x + 1;
const kept = (upstream: Pipeline<unknown>, version?: string): string =>
  keyOf(upstream.cache({ folder: 'f', ...(version !== undefined && { version }) }));

describe('a cache is another', () => {
  const key = kept(range(3).map(add));

  it.each<[string, Pipeline<unknown>]>([
    ['function', range(3).map(x => x + 2)],
    ['setting', range(4).map(add)],
    ['operator', range(3).map(add).filter(Boolean)],
    ['name', range(3).map(add, { name: 'add' })],
    ['policy', range(3).map(add, { onError: 'skip' })],
    ['set-up', range(3).map(perWorker(() => ({ call: add })))],
  ])('for another %s upstream', (_, other) => {
    expect(kept(other)).not.toBe(key);
  });

  it('for another set-up of the same kind', () => {
    expect(kept(range(3).map(perWorker(() => ({ call: add }))))).not.toBe(
      kept(range(3).map(perWorker(() => ({ call: (x: number) => x })))),
    );
  });

  it('for another version, and for other parameters in whatever order', () => {
    expect(kept(range(3).map(add), '2')).not.toBe(key);
    const cache = range(3).cache({ folder: 'f' });
    const [one, two, three] = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1, b: '2' },
    ].map(params => keyOf(cache, { params }));
    expect(one).toBe(two);
    expect(one).not.toBe(three);
  });

  it('only for parameters that differ, however their numbers are stored', () => {
    const cache = range(3).cache({ folder: 'f' });
    const holder = { size: 1.5, ratio: 1.5 };
    holder.size = 1;
    // V8 stores 1 as a double here, for there was another number in its place.
    expect(keyOf(cache, { params: holder })).toBe(keyOf(cache, { params: { ratio: 1.5, size: 1 } }));
    expect(keyOf(cache, { params: { size: 0 } })).not.toBe(keyOf(cache, { params: { size: -0 } }));
    expect(keyOf(cache, { params: { size: '1' } })).not.toBe(keyOf(cache, { params: { size: 1 } }));
  });

  it('for anything upstream, also behind a join', () => {
    expect(kept(zip([range(3), range(3).map(add)]))).not.toBe(kept(zip([range(3), range(3).map(x => x)])));
  });
});

describe('a cache is the same', () => {
  it('whatever follows it, wherever it lies and however much is done at once', () => {
    const key = kept(range(3).map(add));
    const upstream = range(3).map(add, { parallelism: 3, concurrency: 2 });
    expect(keyOf(upstream.cache({ folder: 'g', limit: 9, name: 'other' }).map(add).repeat(2))).toBe(key);
  });

  it.each<[string, Pipeline<number>, boolean]>([
    ['nothing is random', range(9).map(add), true],
    ['a shuffle has a seed of its own', range(9).shuffle(3, { seed: 1 }), true],
    ['a shuffle has none', range(9).shuffle(3), false],
    ['a function may draw', range(9).map((x, { rng }: Context) => x + rng.int(9)), false],
    ['a function of a worker may draw', range(9).map(perWorker(() => ({ call: add }))), false],
  ])('for another seed where %s: %s', (_, upstream, same) => {
    const cache = upstream.cache({ folder: 'f' });
    expect(keyOf(cache, { seed: 1 }) === keyOf(cache, { seed: 2 })).toBe(same);
  });
});

describe('files', () => {
  const sources: Record<string, () => Pipeline<unknown>> = {
    lines: () => lines(file),
    jsonl: () => jsonl([file]),
    csv: () => csv(file),
    tfrecords: () => tfrecords(file),
    tar: () => tar(file),
    webdataset: () => webdataset(file),
    parquet: () => parquet(file),
    'files of a folder': () => files(folder),
    'files of a list': () => files([file]),
    'files by pattern': () => files(`${folder}/*.txt`),
    glob: () => glob('*.txt', { cwd: folder }),
  };

  it.each(Object.entries(sources))('count by size and time of change: %s', (_, open) => {
    writeFileSync(file, 'one\n');
    utimesSync(file, 1e9, 1e9);
    const key = kept(open());
    expect(kept(open())).toBe(key);
    utimesSync(file, 1e9, 1e9 + 1);
    expect(kept(open())).not.toBe(key);
    writeFileSync(file, 'two\ntwo\n');
    utimesSync(file, 1e9, 1e9);
    expect(kept(open())).not.toBe(key);
  });

  it('that are new in a folder count', () => {
    const key = kept(files(folder));
    const other = join(folder, 'other.txt');
    writeFileSync(other, '');
    expect(kept(files(folder))).not.toBe(key);
    rmSync(other);
    expect(kept(files(folder))).toBe(key);
  });

  it('that are missing are told of', () => {
    expect(() => kept(lines(join(folder, 'none')))).toThrow('none');
  });

  it.each<[string, Pipeline<unknown>]>([
    ['an iterable', from([1])],
    ['objects', objects('http://127.0.0.1/a')],
    ['another storage', parquet(file, { storage: limitedStorage({ bytesPerSecond: 1e9 }) })],
  ])('are not known of %s, so that its author has to vouch for it', (_, source) => {
    expect(() => kept(source)).toThrow('cannot tell');
    expect(kept(source, '1')).not.toBe(kept(source, '2'));
  });
});
