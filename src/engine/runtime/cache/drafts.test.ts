import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { draftName, removeAbandoned } from './drafts.ts';

const folder = mkdtempSync(join(tmpdir(), 'drafts-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('removes the drafts of processes that are no more, and nothing else', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const own = draftName('0123456789abcdef'.repeat(2), 'aa');
  const dead = own.replace(`-${process.pid}-`, `-${pid}-`);
  const elsewhere = dead.replace(/\.[0-9a-f]{12}-/, '.000000000000-');
  const others = [own, own.replace(`-${process.pid}-`, '-1-'), elsewhere, 'notes.txt', `${'0'.repeat(32)}.cache`];
  for (const name of [dead, ...others]) writeFileSync(join(folder, name), '');
  removeAbandoned(folder);
  expect(readdirSync(folder).sort()).toEqual(others.sort());
});
