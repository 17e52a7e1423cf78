import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openThreadPages } from './thread-pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-pages-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('counts minor faults from when it was opened, whatever the thread is called', () => {
  const path = join(folder, 'stat');
  const stat = (faults: number): string => `42 (lane) 7 (x) S 1 42 42 0 -1 4194304 ${faults} 11 2 0 5 6\n`;
  writeFileSync(path, stat(100));
  const pages = openThreadPages(path);
  expect(pages?.read()).toBe(0);
  writeFileSync(path, stat(164));
  expect(pages?.read()).toBe(64);
  expect(pages?.bytesRead).toBeGreaterThan(3 * 40);
  pages?.close();
});

const available = openThreadPages();
available?.close();

it.runIf(available !== undefined)('counts pages that this thread touches', () => {
  const pages = openThreadPages();
  const memory = new Uint8Array(64 << 20);
  for (let at = 0; at < memory.length; at += 4096) memory[at] = 1;
  // Pages may be as large as 2 MB.
  expect(pages?.read()).toBeGreaterThanOrEqual(32);
  pages?.close();
});

it('is undefined where the kernel keeps no such account', () => {
  expect(openThreadPages(join(folder, 'absent'))).toBeUndefined();
});
