import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { sourcePipeline } from '../description/pipeline.ts';
import { elementsOf, failureOf, openSource } from './elements.fixture.ts';
import { type FileFormat, filesInTurn } from './files-in-turn.ts';

const folder = mkdtempSync(join(tmpdir(), 'sequence-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, data: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, data);
  return path;
}

/** One element per four bytes. */
const fours: FileFormat = {
  begin: () => ({
    open: window => ({
      read(into, limit) {
        let read = 0;
        for (; read < limit && window.reach(4); read++) into.push(Buffer.from(window.take(4) ?? []).toString());
        return read;
      },
      position: () => window.offset,
    }),
  }),
};

const source = (...paths: string[]) => sourcePipeline<string>('fours', {}, filesInTurn(fours)(paths, false));

describe('filesInTurn', () => {
  const one = write('one', 'aaaabbbbcccc');
  const two = write('two', 'dddd');
  const empty = write('empty', '');
  const packed = write('packed', gzipSync('eeeeffff'));

  it('reads files in the order given, empty ones too, whatever the limit', () => {
    const expected = ['dddd', 'aaaa', 'bbbb', 'cccc', 'eeee', 'ffff', 'dddd'];
    for (const limit of [1, 2, 3, 100])
      expect(elementsOf(source(two, empty, one, packed, empty, two), limit)).toEqual(expected);
    expect(elementsOf(source())).toEqual([]);
  });

  it('tells the share of the bytes as stored that has become elements, not what was read ahead', () => {
    const large = write('large', 'x'.repeat(1024 * 1024));
    const reader = openSource(source(large, large));
    expect(reader.done()).toBe(0);
    void reader.read([], 1);
    expect(reader.done()).toBeCloseTo(1 / (262_144 * 2), 9);
    void reader.read([], 262_144 - 1);
    expect(reader.done()).toBeCloseTo(0.5, 9);
    void reader.read([], 262_144);
    expect(reader.done()).toBeCloseTo(1, 9);
    void reader.close();
  });

  it('knows gzip by its first bytes, and not by its name', () => {
    expect(elementsOf(source(packed))).toEqual(['eeee', 'ffff']);
    expect(elementsOf(source(write('plain.gz', 'aaaa')))).toEqual(['aaaa']);
    expect(elementsOf(source(write('nothing.tgz', '')))).toEqual([]);
  });

  it('cannot read what is missing or a folder, and says so before it reads anything else', () => {
    const missing = join(folder, 'missing');
    expect(failureOf(() => openSource(source(one, missing)))).toMatch(
      /^VENTURI_SOURCE_UNREADABLE cannot read .*missing/,
    );
    const inner = join(folder, 'inner');
    mkdirSync(inner);
    expect(failureOf(() => elementsOf(source(inner)))).toMatch(/^VENTURI_SOURCE_UNREADABLE cannot read .*inner/);
  });
});
