import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import zlib, { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { dividedSource } from '../compile/node.ts';
import type { OpenSource, SourceReader } from '../contract/source.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { csv } from './csv.ts';
import { contextWith, elementsOf, failureOf, openSource } from './elements.fixture.ts';
import { jsonl, lines } from './lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'compressed-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const text = Array.from({ length: 60_000 }, (_, at) => `${at} Grüße`);
const packed = gzipSync(text.join('\n'));

describe('compressed text', () => {
  it('is read by lines, jsonl and csv, whatever the name says', () => {
    const half = text.length / 2;
    const members = [text.slice(0, half), text.slice(half)].map(part => gzipSync(`${part.join('\n')}\n`));
    for (const name of ['a.txt', 'a.txt.gz']) {
      expect(elementsOf(lines(file(name, packed)), 1000)).toEqual(text);
      expect(elementsOf(lines(file(name, Buffer.concat(members))), 1000)).toEqual(text);
      expect(elementsOf(lines(file(name, text.join('\n'))), 1000)).toEqual(text);
      expect(elementsOf(jsonl(file(name, gzipSync('{"a":1}\n\n[2]\n'))))).toEqual([{ a: 1 }, [2]]);
      expect(elementsOf(csv(file(name, gzipSync('a,b\n1,2\n'))))).toEqual([{ a: '1', b: '2' }]);
      expect(elementsOf(csv(file(name, 'a,b\n1,2\n')))).toEqual([{ a: '1', b: '2' }]);
      for (const nothing of ['', gzipSync('')]) {
        expect(elementsOf(lines(file(name, nothing)))).toEqual([]);
        expect(elementsOf(jsonl(file(name, nothing)))).toEqual([]);
        expect(elementsOf(csv(file(name, nothing)))).toEqual([]);
      }
    }
  });

  it.runIf('zstdCompressSync' in zlib)('may be zstd', () => {
    const { zstdCompressSync: pack } = zlib as unknown as { zstdCompressSync: (bytes: Uint8Array) => Uint8Array };
    const zst = pack(Buffer.from(text.join('\n')));
    expect(elementsOf(lines(file('z', zst)), 1000)).toEqual(text);
    expect(elementsOf(lines(file('z', Buffer.concat([zst, pack(Buffer.from('\nmore'))]))), 1000)).toEqual([
      ...text,
      'more',
    ]);
    expect(failureOf(() => elementsOf(lines(file('z', zst.subarray(0, -3)))))).toContain('ends inside its zstd data');
  });

  it.each([
    ['zip', 'PK\x03\x04\x14\0', 'unzip'],
    ['xz', '\xfd7zXZ\0\0\x04', 'xz -d'],
    ['bzip2', 'BZh91AY&SY\x01', 'bzip2 -d'],
    ['UTF-16', '\xff\xfea\0\n\0', 'iconv'],
    ['UTF-16', '\xfe\xff\0a\0\n', 'iconv'],
  ])('in %s is refused, with what to do', (what, bytes, remedy) => {
    const path = file('other', Buffer.from(bytes, 'latin1'));
    for (const source of [lines(path), jsonl(path), csv(path)]) {
      const failure = failureOf(() => elementsOf<unknown>(source as Pipeline<unknown>));
      expect(failure).toContain('VENTURI_CODEC_MISSING');
      expect(failure).toContain(what);
      expect(failure).toContain(remedy);
    }
    // The letters alone are text.
    expect(elementsOf(lines(file('text', 'BZh9 is how bzip2 begins\nPK\n')))).toHaveLength(2);
  });

  it.skipIf('zstdCompressSync' in zlib)('that is zstd is refused by a Node without it', () => {
    const path = file('z', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0));
    for (const source of [lines(path), jsonl(path), csv(path)]) {
      expect(failureOf(() => elementsOf<unknown>(source as Pipeline<unknown>))).toContain('VENTURI_CODEC_MISSING');
    }
  });

  it('that is cut short is a damaged record, in all of them', () => {
    const path = file('cut.gz', packed.subarray(0, packed.length - 5));
    for (const source of [lines(path), csv(path, { columns: false })] as Pipeline<unknown>[]) {
      expect(failureOf(() => elementsOf(source, 1000))).toMatch(
        /^VENTURI_BAD_RECORD .*cut\.gz ends inside its gzip data/,
      );
    }
    const one = file('one.jsonl.gz', packed.subarray(0, 1));
    expect(failureOf(() => elementsOf(jsonl(one)))).toMatch(
      /^VENTURI_BAD_RECORD .*one\.jsonl\.gz ends inside its gzip data/,
    );
  });

  it('goes on at any line in a run that is resumed, and tells how far it is', () => {
    const paths = [file('plain', text.slice(0, 9).join('\n')), file('packed', packed), file('last', 'x\ny')];
    const source = lines(paths);
    const all = elementsOf(source, 1000);
    fc.assert(
      fc.property(fc.nat(all.length), had => {
        const first = openSource(source);
        let done = 0;
        for (let left = had; left > 0; ) {
          left -= first.read([], Math.min(left, 7000)) as number;
          expect(first.done()).toBeGreaterThanOrEqual(done);
          done = first.done() ?? 0;
        }
        const from = JSON.parse(JSON.stringify(first.position?.()));
        void first.close();
        const rest: unknown[] = [];
        const second = (source.node.source as OpenSource)(contextWith(undefined, from)) as SourceReader;
        while ((second.read(rest, 5000) as number) > 0);
        expect(second.done()).toBe(1);
        void second.close();
        expect(rest).toEqual(all.slice(had));
      }),
      { numRuns: 30, examples: [[0], [9], [10], [all.length - 2], [all.length]] },
    );
  });

  it('is one part for several threads, and none where the name says it', () => {
    const source = dividedSource(lines([file('packed', packed), file('plain', 'x\n'.repeat(200_000))]).node);
    const parts = [...(source?.parts() ?? [])];
    expect(parts).toHaveLength(3);
    const [first] = parts;
    const reader = first === undefined ? undefined : source?.read(first);
    const into: unknown[] = [];
    while ((reader?.read(into, 1000) ?? 0) > 0);
    reader?.close();
    expect(into).toEqual(text);
    expect(dividedSource(lines(['a.txt', 'b.txt.gz']).node)).toBeUndefined();
  });
});
