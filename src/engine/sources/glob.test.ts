import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileEntry } from '../../io/input/file-entry.ts';
import { patternSet } from '../../io/input/glob-pattern.ts';
import type { OpenSource, SourceReader } from '../contract/source.ts';
import { contextWith } from './elements.fixture.ts';
import { type GlobOptions, glob } from './glob.ts';

let folder = '';
const made: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'glob-test-'));
  made.push(folder);
});
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
}

function open(patterns: string | readonly string[], options: GlobOptions = { cwd: folder }): SourceReader {
  const source = glob(patterns, options).node.source as OpenSource;
  return source(contextWith()) as SourceReader;
}

function readAll(patterns: string | readonly string[], options?: GlobOptions): FileEntry[] {
  const reader = open(patterns, options);
  const all: FileEntry[] = [];
  let before = 0;
  while ((reader.read(all, 3) as number) > 0) {
    const done = reader.done() ?? 0;
    expect(done).toBeGreaterThanOrEqual(before);
    before = done;
  }
  expect(reader.done()).toBe(1);
  return all;
}

const found = (patterns: string | readonly string[]): string[] =>
  readAll(patterns).map(({ path }) => path.slice(folder.length + 1));

describe('glob', () => {
  it('gives paths and sizes of the files that match, in the order of their paths', () => {
    write('b/2.jpg', 'b/1.jpg', 'a/x.jpg', 'a/x.txt', 'a/deep/er/y.jpg', 'top.jpg');
    expect(readAll('**/*.jpg')).toEqual(
      ['a/deep/er/y.jpg', 'a/x.jpg', 'b/1.jpg', 'b/2.jpg', 'top.jpg'].map(path => ({
        path: join(folder, path),
        size: path.length,
      })),
    );
    expect(found('*/*.jpg')).toEqual(['a/x.jpg', 'b/1.jpg', 'b/2.jpg']);
    expect(found('a/**')).toEqual(['a/deep/er/y.jpg', 'a/x.jpg', 'a/x.txt']);
    expect(found('./b/[2-9].jpg')).toEqual(['b/2.jpg']);
    expect(found('{a,b/1}*{/x,}.{jpg,txt}')).toEqual(['a/x.jpg', 'a/x.txt', 'b/1.jpg']);
    expect(found('a/x.jpg')).toEqual(['a/x.jpg']);
  });

  it('orders folders and files as their whole paths order', () => {
    write('a/z', 'a-b/z', 'a.b', 'a0', 'A', 'é', 'a/b/c');
    const paths = ['a/z', 'a-b/z', 'a.b', 'a0', 'A', 'é', 'a/b/c'];
    expect(found('**')).toEqual(paths.sort());
  });

  it('gives a file once, whichever patterns name it, and not at all where one takes it away', () => {
    write('a/1.jpg', 'a/2.jpg', 'b/1.jpg', 'c/1.png');
    expect(found(['b/*', '**/*.jpg', 'a/1.jpg'])).toEqual(['a/1.jpg', 'a/2.jpg', 'b/1.jpg']);
    expect(found(['**', '!a/**', '!**/*.png'])).toEqual(['b/1.jpg']);
  });

  it('passes over names with a dot in front unless the pattern has it', () => {
    write('.hidden/x', '.x', 'x');
    expect(found('**')).toEqual(['x']);
    expect(found(['.*', '.*/*'])).toEqual(['.hidden/x', '.x']);
  });

  it('takes paths from the root, from above, and from the current folder', () => {
    write('a/x.jpg');
    const path = join(folder, 'a/x.jpg');
    expect(readAll(`${folder}/*/*.jpg`, {}).map(entry => entry.path)).toEqual([path]);
    mkdirSync(join(folder, 'b'));
    expect(readAll('../a/*.jpg', { cwd: join(folder, 'b') }).map(entry => entry.path)).toEqual([path]);
    const packages = readAll('package*.json', {}).map(entry => entry.path);
    expect(packages).toEqual(
      readdirSync('.')
        .filter(name => /^package.*\.json$/.test(name))
        .sort(),
    );
  });

  it('does what matching every path of the tree would do', () => {
    const name = fc.constantFrom('a', 'b', 'ab', 'c.x', '.d');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map(parts => `${parts.join('/')}.f`);
    const part = fc.constantFrom('a', '*', '**', 'a*', '?', '[ab]', '*.x', '{a,b}', '!(a)', '.d', '*.f', 'a.f');
    const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'));
    fc.assert(
      fc.property(
        fc.uniqueArray(path, { minLength: 1, maxLength: 12 }),
        fc.array(pattern, { minLength: 1, maxLength: 2 }),
        (paths, patterns) => {
          // A leading ! would take away; that is another test's matter.
          fc.pre(patterns.every(text => !text.startsWith('!')));
          rmSync(folder, { recursive: true, force: true });
          mkdirSync(folder);
          write(...paths);
          const expected = paths.filter(text => patterns.some(one => picomatch(one)(text))).sort();
          const literalFolders = patterns.some(text => /^(a|\.d|a\.f)(\/|$)/.test(text));
          let got: string[];
          try {
            got = found(patterns);
          } catch (error) {
            // Nothing found is an error, and so is a folder to start from that is not there.
            expect(expected.length === 0 || literalFolders).toBe(true);
            expect(error).toMatchObject({ code: 'VENTURI_SOURCE_UNREADABLE' });
            return;
          }
          expect(got).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('does not enter folders in which nothing can match', () => {
    const { mayHold, bases } = patternSet(['data/*/x/*.jpg', 'data/all/**']);
    expect(bases).toEqual(['data']);
    const entered = ['data/a', 'data/a/x', 'data/all', 'data/all/deep/er'];
    const passed = ['other', 'data/a/y', 'data/a/x/z'];
    expect([...entered, ...passed].filter(mayHold)).toEqual(entered);
  });

  it('follows links to files and folders, and is not caught by those that lead back', () => {
    write('real/x', 'real/sub/y');
    symlinkSync('x', join(folder, 'real/link-to-x'));
    symlinkSync('../..', join(folder, 'real/sub/back'));
    symlinkSync('.', join(folder, 'real/self'));
    symlinkSync('real/sub', join(folder, 'alias'));
    expect(found('**')).toEqual(['alias/y', 'real/link-to-x', 'real/sub/y', 'real/x']);
  });

  it('passes over a link to nothing, unless it is one of the files asked for', () => {
    write('x');
    symlinkSync('gone', join(folder, 'y.lock'));
    expect(found('x*')).toEqual(['x']);
    expect(() => found('*')).toThrow(expect.objectContaining({ code: 'VENTURI_SOURCE_UNREADABLE' }));
  });

  it('gives its first files without having read the folders behind them', () => {
    write('a/1', 'a/2', 'z/1');
    const reader = open('**');
    const all: FileEntry[] = [];
    expect(reader.read(all, 2)).toBe(2);
    expect(reader.done()).toBeCloseTo(0.5);
    write('z/0');
    while ((reader.read(all, 2) as number) > 0);
    expect(all.map(({ path }) => path.slice(folder.length + 1))).toEqual(['a/1', 'a/2', 'z/0', 'z/1']);
  });

  it('says that nothing matches, that a folder is missing, or that a pattern is', () => {
    write('x.png');
    expect(() => found('*.jpg')).toThrow(
      expect.objectContaining({ code: 'VENTURI_SOURCE_UNREADABLE', message: "no file matches '*.jpg'" }),
    );
    expect(() => found('missing/*.jpg')).toThrow(
      expect.objectContaining({ code: 'VENTURI_SOURCE_UNREADABLE', message: expect.stringContaining('missing') }),
    );
    expect(() => glob(['!x'])).toThrow(expect.objectContaining({ code: 'VENTURI_BAD_OPTION' }));
    expect(() => glob([])).toThrow(expect.objectContaining({ code: 'VENTURI_BAD_OPTION' }));
  });

  it.skipIf(process.getuid?.() === 0)('names a folder it may not read', () => {
    write('locked/x');
    chmodSync(join(folder, 'locked'), 0);
    expect(() => found('**')).toThrow(expect.objectContaining({ code: 'VENTURI_SOURCE_UNREADABLE' }));
    chmodSync(join(folder, 'locked'), 0o700);
  });
});
