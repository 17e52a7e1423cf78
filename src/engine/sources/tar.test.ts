import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { elementsOf, failureOf } from './elements.fixture.ts';
import { tar } from './tar.ts';
import { archive, entry } from './tar-writer.fixture.ts';

const golden = (name: string): string => fileURLToPath(new URL(`golden/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tar-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const textsOf = (bytes: Uint8Array, name = 'a.tar'): [string, string][] =>
  elementsOf(tar(file(name, bytes))).map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]);

const failureIn = (bytes: Uint8Array): string => failureOf(() => textsOf(bytes));

describe('tar', () => {
  const expected = JSON.parse(readFileSync(golden('tar.json'), 'utf8')) as Record<string, [string, string][]>;

  it.each(Object.keys(expected))("gives the files of an archive made by Python's tarfile in its %s format", format => {
    const given = elementsOf(tar(golden(`${format}.tar`)));
    expect(given.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('base64')])).toEqual(expected[format]);
  });

  it('reads several archives, gzipped or not', () => {
    const packed = file('b.tgz', gzipSync(readFileSync(golden('gnu.tar'))));
    const paths = elementsOf(tar([golden('ustar.tar'), packed])).map(({ path }) => path);
    expect(paths).toEqual([...(expected.ustar ?? []), ...(expected.gnu ?? [])].map(([path]) => path));
  });

  it('takes sizes in binary, and from pax headers where they are given', () => {
    expect(textsOf(archive(entry('a', 'one', { binarySize: true }), entry('b', 'two')))).toEqual([
      ['a', 'one'],
      ['b', 'two'],
    ]);
    const pax = entry('pax', '9 size=3\n22 path=better name.x\n', { type: 'x' });
    expect(textsOf(archive(pax, entry('a', 'one', { size: 0 }), entry('b', 'two')))).toEqual([
      ['better name.x', 'one'],
      ['b', 'two'],
    ]);
  });

  it('takes the front of a path from where ustar keeps it, and not from what GNU keeps there', () => {
    expect(textsOf(archive(entry('a', '1', { magic: 'ustar\0', prefix: 'front' })))).toEqual([['front/a', '1']]);
    expect(textsOf(archive(entry('a', '1', { magic: 'ustar  \0', prefix: '1234' })))).toEqual([['a', '1']]);
  });

  it('does not say of one entry what was said of another', () => {
    const long = entry('././@LongLink', 'long\0', { type: 'L' });
    expect(textsOf(archive(long, entry('folder', '', { type: '5' }), entry('a', '1')))).toEqual([['a', '1']]);
    expect(textsOf(archive(long, entry('k', 'target\0', { type: 'K' }), entry('a', '1')))).toEqual([['long', '1']]);
  });

  it('takes the oldest archives, where a folder is a name that ends in a slash', () => {
    expect(textsOf(archive(entry('old/', '', { type: '\0' }), entry('old/a', '1', { type: '\0' })))).toEqual([
      ['old/a', '1'],
    ]);
  });

  it('ends at a block of zeros, or where the file ends after an entry', () => {
    const one = entry('a', '1');
    expect(textsOf(Buffer.concat([archive(one), entry('b', '2')]))).toEqual([['a', '1']]);
    expect(textsOf(one)).toEqual([['a', '1']]);
    expect(textsOf(Buffer.alloc(1024))).toEqual([]);
  });

  it('reads entries larger than the pieces a file is read in', () => {
    const large = 'large'.repeat(200_000);
    expect(textsOf(archive(entry('a', large), entry('b', '2'), entry('c', large)))).toEqual([
      ['a', large],
      ['b', '2'],
      ['c', large],
    ]);
  });

  it('says where an archive is cut off', () => {
    const whole = archive(entry('a', 'x'.repeat(600)), entry('b', 'yy'));
    for (const length of [0, 100, 511, 600, 1111, 1535, 1600, 2047, 2049]) {
      expect(failureIn(whole.subarray(0, length)), `${length} bytes`).toMatch(
        /^VENTURI_BAD_RECORD .*a\.tar: (a|b|the entry) at byte (0|1536) is cut off/,
      );
    }
  });

  it('says which header is damaged', () => {
    const damaged = archive(entry('a', '1'), entry('b', '2'));
    damaged[1024 + 3] = 65;
    expect(failureIn(damaged)).toMatch(
      /BAD_RECORD .*the entry at byte 1024 has a header that does not match its checksum/,
    );
    expect(failureIn(Buffer.alloc(2000, 'not an archive '))).toMatch(/BAD_RECORD .*at byte 0 is not a tar header/);
    expect(failureIn(archive(entry('p', '99 path=x\n', { type: 'x' }), entry('a', '1')))).toMatch(
      /pax header that cannot/,
    );
    expect(failureIn(archive(entry('s', '', { type: 'S' })))).toMatch(/is sparse, which is not read/);
    expect(failureIn(archive(entry('L', '', { type: 'L', size: 2 ** 30 })))).toMatch(
      /has a header of 1073741824 bytes/,
    );
  });

  it('finds damage in gzip data after the last entry was read', () => {
    const padded = Buffer.concat([archive(entry('a', 'x'.repeat(5000))), Buffer.alloc(300_000)]);
    const packed = gzipSync(padded, { level: 0 });
    packed[packed.indexOf('xxxx')] = 66;
    expect(failureOf(() => textsOf(packed, 'a.tar.gz'))).toMatch(
      /BAD_RECORD .*a\.tar\.gz is not gzip .*incorrect data check/,
    );
  });
});
