import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { WrittenFiles } from './written-files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'venturi-written-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const at = (name: string): string => join(folder, name);

test('files appear together, when all are written', async () => {
  const files = new WrittenFiles();
  files.folder(at('a/b'));
  await files.write(at('a/b/one.txt'), ['1', '2']);
  await files.write(at('a/b/two.txt'), [Buffer.from('x'), 'y', Buffer.from('z')]);
  expect(existsSync(at('a/b/one.txt'))).toBe(false);
  files.commit();
  expect(readFileSync(at('a/b/one.txt'), 'utf8') + readFileSync(at('a/b/two.txt'), 'utf8')).toBe('12xyz');
  files.abandon();
  expect(readdirSync(at('a/b'))).toEqual(['one.txt', 'two.txt']);
});

test('an interruption leaves what was there before', async () => {
  writeFileSync(at('one.txt'), 'before');
  const controller = new AbortController();
  const files = new WrittenFiles(controller.signal);
  files.folder(at('made/for/it'));
  await files.write(at('one.txt'), ['after']);
  function* endless(): Generator<string> {
    for (let n = 0; ; n++) {
      if (n === 3) controller.abort();
      yield 'x'.repeat(1 << 18);
    }
  }
  await expect(files.write(at('made/for/it/two.txt'), endless())).rejects.toMatchObject({
    code: 'VENTURI_INTERRUPTED',
  });
  files.abandon();
  expect(readdirSync(folder)).toEqual(['one.txt']);
  expect(readFileSync(at('one.txt'), 'utf8')).toBe('before');
});

test('a full disk leaves nothing', async () => {
  const files = new WrittenFiles();
  // Every write to this device fails as on a full disk; it is refused for what it is, too.
  await expect(files.write('/dev/full', ['x'])).rejects.toMatchObject({ code: 'VENTURI_FILE_UNWRITABLE' });
  mkdirSync(at('folder'));
  await expect(files.write(at('folder'), ['x'])).rejects.toMatchObject({ code: 'VENTURI_FILE_UNWRITABLE' });
  await expect(files.write(at('no/such'), ['x'])).rejects.toMatchObject({ code: 'VENTURI_FILE_UNWRITABLE' });
  files.abandon();
  expect(readdirSync(folder)).toEqual(['folder']);
});

test('a file that cannot take its place at the end is a failure with a code, too', async () => {
  const files = new WrittenFiles();
  await files.write(at('one.txt'), ['1']);
  mkdirSync(at('one.txt'));
  expect(() => files.commit()).toThrow(expect.objectContaining({ code: 'VENTURI_FILE_UNWRITABLE' }));
  files.abandon();
  expect(readdirSync(folder)).toEqual(['one.txt']);
});
