import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { Pipeline } from '../description/pipeline.ts';
import { elementsOf, failureOf } from './elements.fixture.ts';
import { type Sample, webdataset } from './tar-samples.ts';
import { archive, entry } from './tar-writer.fixture.ts';

const golden = (name: string): string => fileURLToPath(new URL(`golden/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'samples-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function shard(...entries: Buffer[]): string {
  const path = join(folder, `${files++}.tar`);
  writeFileSync(path, archive(...entries));
  return path;
}

const described = ({ __key__, ...fields }: Sample) => ({
  key: __key__,
  fields: Object.fromEntries(
    Object.entries(fields).map(([field, bytes]) => [field, Buffer.from(bytes).toString('base64')]),
  ),
});

describe('webdataset', () => {
  it("gives the samples that the webdataset package's own reader gives", () => {
    const expected = JSON.parse(readFileSync(golden('shard.json'), 'utf8'));
    for (const limit of [1, 2, 100]) {
      expect(elementsOf(webdataset(golden('shard.tar.gz')), limit).map(described)).toEqual(expected);
    }
  });

  it('joins files that follow one another, and never those of two shards', () => {
    const one = shard(entry('a.x', '1'), entry('b.x', '2'), entry('a.y', '3'));
    const two = shard(entry('a.z', '4'));
    const samples = elementsOf(webdataset([one, two])).map(sample => Object.keys(sample).concat(sample.__key__));
    expect(samples).toEqual([
      ['__key__', 'x', 'a'],
      ['__key__', 'x', 'b'],
      ['__key__', 'y', 'a'],
      ['__key__', 'z', 'a'],
    ]);
  });

  it('passes over files that belong to no sample', () => {
    const path = shard(
      entry('no-ending', '1'),
      entry('.x', '2'),
      entry('a.', '3'),
      entry('a.__key__', '4'),
      entry('b.c', '5'),
    );
    expect(elementsOf(webdataset(path)).map(described)).toEqual([{ key: 'b', fields: { c: 'NQ==' } }]);
    expect(elementsOf(webdataset(shard()))).toEqual([]);
  });

  it('says which file comes twice in a sample', () => {
    const path = shard(entry('a.x', '1'), entry('a.X', '2'));
    expect(failureOf(() => elementsOf(webdataset(path)))).toMatch(
      /^VENTURI_BAD_RECORD .*0?\.tar: a\.X at byte 1024 is the second 'x' of its sample \/ pack it once/,
    );
  });

  it('has types for the fields that are named', () => {
    const named = webdataset<'jpg' | 'cls'>('a.tar');
    expectTypeOf(named).toEqualTypeOf<Pipeline<Sample<'jpg' | 'cls'>>>();
    expectTypeOf<Sample<'jpg'>['jpg']>().toEqualTypeOf<Uint8Array>();
    expectTypeOf<Sample<'jpg'>['__key__']>().toEqualTypeOf<string>();
    expectTypeOf<Sample['__key__']>().toExtend<string>();
  });
});
