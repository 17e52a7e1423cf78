import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { define } from '../api/define.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { files, readFile } from './files.ts';
import { from } from './iterable.ts';
import { jsonl, lines } from './lines.ts';
import { range } from './range.ts';

const folder = mkdtempSync(join(tmpdir(), 'sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

let written = 0;
function write(content: string | Uint8Array): string {
  const path = join(folder, `${written++}.txt`);
  writeFileSync(path, content);
  return path;
}

async function collect<T>(pipeline: Pipeline<T>, chunkElements = 3): Promise<T[]> {
  const collected: T[] = [];
  const definition = define({ url: import.meta.url }, { spec: {}, build: () => pipeline });
  for await (const element of definition.run({ parallelism: 0, chunkElements })) collected.push(element);
  return collected;
}

/** Files are read in pieces of this size. */
const PIECE = 256 * 1024;

describe('lines', () => {
  it.each([
    ['line feeds', 'a\nb\n', ['a', 'b']],
    ['no line feed at the end', 'a\nb', ['a', 'b']],
    ['carriage returns', 'a\r\nb\r\n', ['a', 'b']],
    ['carriage returns and none at the end', 'a\r\nb', ['a', 'b']],
    ['a carriage return inside a line', 'a\rb\n', ['a\rb']],
    ['empty lines', '\n\na\n\n', ['', '', 'a', '']],
    ['an empty file', '', []],
    ['one line feed', '\n', ['']],
    ['characters of several bytes', 'ä€😀\n', ['ä€😀']],
  ])('%s', async (_, content, expected) => {
    expect(await collect(lines(write(content)))).toEqual(expected);
  });

  it('a line longer than several pieces', async () => {
    const long = 'x'.repeat(3 * PIECE + 17);
    expect(await collect(lines(write(`a\n${long}\nb\n${long}`)))).toEqual(['a', long, 'b', long]);
  });

  it.each([-3, -2, -1, 0, 1])('a character, or a line end, that lies across two pieces: offset %i', async offset => {
    const before = 'x'.repeat(PIECE + offset);
    expect(await collect(lines(write(`${before}😀\r\nnext`)))).toEqual([`${before}😀`, 'next']);
    expect(await collect(lines(write(`${before}\r\nnext\r\n`)))).toEqual([before, 'next']);
  });

  it('several files, one after the other, also where the first has no line feed at its end', async () => {
    expect(await collect(lines([write('a\nb'), write(''), write('c\n')]))).toEqual(['a', 'b', 'c']);
  });

  it('read again in every pass', async () => {
    expect(await collect(lines(write('a\nb\n')).repeat(2))).toEqual(['a', 'b', 'a', 'b']);
  });

  it('gives back any text that was written', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map(text => text.replaceAll(/[\r\n]/g, ' '));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n'), async (texts, end) => {
        expect(await collect(lines(write(texts.map(text => text + end).join(''))))).toEqual(texts);
      }),
      { seed: 5, numRuns: 100 },
    );
  });
});

describe('jsonl', () => {
  it('gives values and passes over blank lines', async () => {
    const path = write('{"a":1}\n\n  \r\n[2]\nnull\n"x"');
    expect(await collect(jsonl(path))).toEqual([{ a: 1 }, [2], null, 'x']);
  });

  it('names the file and line of what is not JSON', async () => {
    const [good, bad] = [write('1\n2\n'), write('1\n\n{"a":\n')];
    const failed = collect(jsonl([good, bad]));
    await expect(failed).rejects.toMatchObject({ code: 'VENTURI_BAD_RECORD' });
    await expect(failed).rejects.toThrow(`${bad}:3 is not JSON`);
  });
});

describe('files', () => {
  const root = join(folder, 'tree');
  const paths = ['b.jpg', 'a/z.JPG', 'a/b/c.jpeg', 'a/notes.txt', 'Z.jpg', '.hidden.jpg'].map(name => join(root, name));
  mkdirSync(join(root, 'a/b'), { recursive: true });
  mkdirSync(join(root, 'folder.jpg'));
  paths.forEach((path, size) => {
    writeFileSync(path, 'x'.repeat(size));
  });

  it('finds files in all folders below, sorted by path, with their sizes', async () => {
    const found = await collect(files(root));
    expect(found.map(({ path }) => path)).toEqual([...paths].sort());
    expect(found.map(({ path, size }) => [path, size])).toEqual(
      [...paths].sort().map(path => [path, paths.indexOf(path)]),
    );
  });

  it('keeps to endings, in whatever case', async () => {
    const found = await collect(files(root, { extensions: ['.jpg', '.JPEG'] }));
    expect(found.map(({ path }) => path)).toEqual(paths.filter(path => !path.endsWith('.txt')).sort());
  });

  it('takes a list as it is', async () => {
    const list = [paths[3] ?? '', paths[0] ?? ''];
    expect(await collect(files(list))).toEqual([
      { path: list[0], size: 3 },
      { path: list[1], size: 0 },
    ]);
  });

  it('reads bytes where the work is', async () => {
    expect((await collect(files(root).map(readFile))).map(({ length }) => length).sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it.each([
    ['a folder that is not there', () => files(join(root, 'absent'))],
    ['a listed file that is not there', () => files([join(root, 'absent')])],
    ['a file that is gone when it is read', () => from([join(root, 'absent')]).map(path => readFile(path))],
  ])('%s', async (_, build) => {
    const failed = collect<unknown>(build());
    await expect(failed).rejects.toMatchObject({ code: 'VENTURI_SOURCE_UNREADABLE' });
    await expect(failed).rejects.toThrow(`cannot read ${join(root, 'absent')}: ENOENT`);
  });
});

describe('lines of what is no path', () => {
  it.each([
    ['*.txt', 'glob('],
    ['part-{1,2}.txt', 'glob('],
    ['https://example.org/a.txt', 'objects()'],
    ['', 'check the path'],
  ])("'%s' are told how to be had", async (path, remedy) => {
    await expect(collect(lines(path))).rejects.toMatchObject({ remedy: expect.stringContaining(remedy) });
  });
});

describe('range and from', () => {
  it('counts from a start in steps', async () => {
    expect(await collect(range(4, { start: 10, step: -3 }))).toEqual([10, 7, 4, 1]);
    expect(await collect(range(0))).toEqual([]);
  });

  it('closes an iterator that is not read to its end', async () => {
    const closed: string[] = [];
    const numbers = (name: string) =>
      function* (): Iterable<number> {
        try {
          for (let x = 0; ; x++) yield x;
        } finally {
          closed.push(name);
        }
      };
    expect(await collect(from(numbers('sync')).take(2))).toEqual([0, 1]);
    expect(await collect(from(numbers('each pass')).take(1).repeat(3))).toEqual([0, 0, 0]);
    const slowly = async function* (): AsyncIterable<number> {
      yield* numbers('async')();
    };
    expect(await collect(from(slowly).take(2))).toEqual([0, 1]);
    expect(closed).toEqual(['sync', 'each pass', 'each pass', 'each pass', 'async']);
  });

  it('hands slow elements on before more have come', async () => {
    const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
    let given = 0;
    const slowly = async function* (): AsyncIterable<number> {
      for (; given < 3; given++) {
        yield given;
        await wait(20);
      }
    };
    const definition = define({ url: import.meta.url }, { spec: {}, build: () => from(slowly) });
    const seen: number[] = [];
    for await (const element of definition.run({ parallelism: 0, chunkElements: 100 })) {
      seen.push(element);
      expect(given).toBeLessThanOrEqual(element + 1);
    }
    expect(seen).toEqual([0, 1, 2]);
  });
});

describe('from', () => {
  const twice = function* () {
    yield* [1, 2];
  };
  const later = async function* () {
    yield* [1, 2];
  };

  it.each([
    ['an iterator', () => twice()],
    ['an async iterator', () => later()],
    ['a stream', () => Readable.from([1, 2])],
    ['a web stream', () => Readable.toWeb(Readable.from([1, 2]))],
  ])('refuses to go through %s more than once', async (_, make) => {
    const elements = make() as Iterable<number>;
    const failed = collect(from(elements).repeat(3));
    await expect(failed).rejects.toMatchObject({
      code: 'VENTURI_BAD_OPTION',
      message: expect.stringContaining("'from' was given an iterator or a stream"),
      remedy: expect.stringContaining('from(() => …)'),
    });
    expect(await collect(from(make() as Iterable<number>))).toEqual([1, 2]);
    expect(
      await collect(
        from(make() as Iterable<number>)
          .cache()
          .repeat(2),
      ),
    ).toEqual([1, 2, 1, 2]);
  });

  it('goes through a function, an array or a Set as often as it is asked', async () => {
    expect(await collect(from(twice).repeat(2))).toEqual([1, 2, 1, 2]);
    expect(await collect(from([1, 2]).repeat(2))).toEqual([1, 2, 1, 2]);
    expect(await collect(from(new Set([1, 2])).repeat(2))).toEqual([1, 2, 1, 2]);
  });
});
