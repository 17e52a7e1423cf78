import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openThreadClock } from './thread-clock.ts';
import { openThreadStorage } from './thread-storage.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-storage-'));
afterAll(() => rmSync(folder, { recursive: true }));

const available = openThreadStorage();
available?.close();

describe.runIf(available !== undefined)('thread storage', () => {
  it('counts what the program asked for to the byte, without its own readings and those of the clock', () => {
    const path = join(folder, 'data');
    writeFileSync(path, Buffer.alloc(1 << 20, 7));
    const data = Buffer.alloc(1 << 16);
    const clock = openThreadClock();
    const storage = openThreadStorage(clock);
    const fd = openSync(path, 'r');
    storage?.read();
    const before = storage?.asked ?? 0;
    const writtenBefore = storage?.written ?? 0;
    for (let at = 0; at < 1 << 20; at += data.length) {
      readSync(fd, data, 0, data.length, at);
      clock.read();
      storage?.read();
    }
    expect((storage?.asked ?? 0) - before).toBe(1 << 20);
    expect(storage?.written).toBe(writtenBefore);
    closeSync(fd);
    clock.close();
    storage?.close();
  });
});

it('reads the columns by their place', () => {
  const path = join(folder, 'io');
  const text =
    'rchar: 900\nwchar: 6\nsyscr: 12\nsyscw: 1\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 5\n';
  writeFileSync(path, text);
  const storage = openThreadStorage({ bytesRead: 100 }, path);
  // A first reading was made on opening; it is taken off as well.
  expect(storage).toMatchObject({ asked: 900 - 100 - text.length, fetched: 4096, written: 8192 });
  storage?.close();
});

it('is undefined where the kernel keeps no such account', () => {
  expect(openThreadStorage(undefined, join(folder, 'absent'))).toBeUndefined();
});
