import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AtomicFile, replaceFile } from './atomic-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atomic-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const path = (): string => join(folder, 'out.txt');

describe('a file written atomically', () => {
  it('holds what was written, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.uint8Array())), pieces => {
        const file = new AtomicFile(path(), { durable: false });
        for (const piece of pieces) file.write(piece);
        file.commit();
        const expected = Buffer.concat(pieces.map(piece => Buffer.from(piece as string)));
        expect(readFileSync(path()).equals(expected)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('is the old one until it is committed, and nothing else is left', () => {
    writeFileSync(path(), 'old');
    const file = new AtomicFile(path());
    file.write('new');
    expect(readFileSync(path(), 'utf8')).toBe('old');
    file.commit();
    expect(readFileSync(path(), 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['out.txt']);
  });

  it('leaves nothing where it is given up, and can be given up after all else', () => {
    const file = new AtomicFile(path());
    file.write('x');
    file.abandon();
    file.abandon();
    expect(readdirSync(folder)).toEqual([]);
    expect(() => file.write('y')).toThrow('given up');
    replaceFile(path(), 'whole');
    const committed = new AtomicFile(path());
    committed.commit();
    committed.abandon();
    expect(readdirSync(folder)).toEqual(['out.txt']);
  });

  it('has no name where it is thrown away, neither before it is committed nor then', () => {
    writeFileSync(path(), 'old');
    const file = new AtomicFile(path(), { discarded: true });
    file.write('new');
    expect(readdirSync(folder)).toEqual(['out.txt']);
    file.commit();
    expect(readFileSync(path(), 'utf8')).toBe('old');
    const other = new AtomicFile(join(folder, 'other'), { discarded: true });
    other.write('x');
    other.abandon();
    expect(readdirSync(folder)).toEqual(['out.txt']);
    expect(() => new AtomicFile(join(folder, 'missing', 'out'), { discarded: true })).toThrow('ENOENT');
  });

  it('keeps the old one’s mode, and goes where a link leads', () => {
    writeFileSync(path(), 'secret');
    chmodSync(path(), 0o600);
    symlinkSync(path(), join(folder, 'link'));
    replaceFile(join(folder, 'link'), 'new');
    expect(readFileSync(path(), 'utf8')).toBe('new');
    expect(statSync(path()).mode & 0o777).toBe(0o600);
  });

  it('does not take the place of a folder or a device', () => {
    expect(() => new AtomicFile(folder)).toThrow('it is a folder');
    expect(() => new AtomicFile('/dev/null')).toThrow('it is not a file');
    expect(statSync('/dev/null').isFile()).toBe(false);
  });

  it('leaves nothing where its place is taken by a folder meanwhile', () => {
    const file = new AtomicFile(path());
    mkdirSync(join(path(), 'inside'), { recursive: true });
    expect(() => file.commit()).toThrow();
    expect(readdirSync(folder)).toEqual(['out.txt']);
  });

  it('says why a folder cannot be written to', () => {
    expect(() => new AtomicFile(join(folder, 'missing', 'out.txt'))).toThrow('ENOENT');
    expect(existsSync(join(folder, 'missing'))).toBe(false);
  });
});

describe('a disk without room (skipped where a tmpfs may not be mounted)', () => {
  it('leaves nothing of it', context => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      return context.skip('SKIPPED: a tmpfs may not be mounted here');
    }
    try {
      replaceFile(join(disk, 'old'), 'old');
      const file = new AtomicFile(join(disk, 'old'));
      expect(() => {
        for (;;) file.write(Buffer.alloc(10_000));
      }).toThrow('ENOSPC');
      expect(readdirSync(disk)).toEqual(['old']);
      expect(readFileSync(join(disk, 'old'), 'utf8')).toBe('old');
    } finally {
      execFileSync('umount', [disk]);
    }
    return undefined;
  });
});
