import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegular, readRegular, readRegularAsync, readRegularText } from './regular-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-regular-'));
const at = (name: string): string => join(folder, name);
const socket = createServer();

beforeAll(async () => {
  execFileSync('mkfifo', [at('pipe')]);
  mkdirSync(at('folder'));
  symlinkSync(at('nowhere'), at('dangling'));
  symlinkSync(at('pipe'), at('to-pipe'));
  writeFileSync(at('text'), 'twelve bytes');
  symlinkSync(at('text'), at('to-text'));
  await new Promise<void>(resolve => socket.listen(at('socket'), resolve));
});
afterAll(() => {
  socket.close();
  rmSync(folder, { recursive: true });
});

const UNSUITABLE: readonly (readonly [path: string, reason: string, code: string])[] = [
  [at('pipe'), 'it is a pipe, not a file', 'EINVAL'],
  [at('to-pipe'), 'it is a pipe, not a file', 'EINVAL'],
  [at('folder'), 'it is a folder, not a file', 'EISDIR'],
  [at('socket'), 'it is a socket, not a file', 'EINVAL'],
  ['/dev/zero', 'it is a device, not a file', 'EINVAL'],
  [at('dangling'), 'it is a symbolic link to something that is not there', 'ENOENT'],
];

describe('what is no file', () => {
  test.each(UNSUITABLE)('%s is refused at once, by what it is', async (path, reason, code) => {
    const expected = expect.objectContaining({ message: reason, code });
    expect(() => openRegular(path)).toThrow(expected);
    expect(() => readRegular(path)).toThrow(expected);
    expect(() => readRegularText(path, 100)).toThrow(expected);
    await expect(readRegularAsync(path)).rejects.toThrow(expected);
  });

  test('keeps the error of the system where there is nothing', async () => {
    expect(() => openRegular(at('nothing'))).toThrow(/ENOENT: no such file/);
    await expect(readRegularAsync(at('nothing'))).rejects.toThrow(/ENOENT: no such file/);
  });
});

describe('a file', () => {
  test('is read, also through a link', async () => {
    closeSync(openRegular(at('to-text')));
    expect(readRegular(at('text')).toString()).toBe('twelve bytes');
    expect((await readRegularAsync(at('to-text'))).toString()).toBe('twelve bytes');
    expect(readRegularText(at('text'), 12)).toBe('twelve bytes');
  });

  test('larger than such a file may be is refused without being read', () => {
    writeFileSync(at('huge'), '');
    truncateSync(at('huge'), 2 ** 40);
    expect(() => readRegularText(at('huge'), 2 ** 20)).toThrow('more than the 1 MiB that such a file may have');
    expect(() => readRegularText(at('text'), 11)).toThrow(/such a file may have/);
  });

  test.runIf(process.platform === 'linux')('that does not tell its size is read up to the limit', () => {
    const whole = readRegularText('/proc/self/smaps', 2 ** 26);
    expect(whole.length).toBeGreaterThan(8192);
    expect(() => readRegularText('/proc/self/smaps', 8192)).toThrow(/such a file may have/);
  });
});
