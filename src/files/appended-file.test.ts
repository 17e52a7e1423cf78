import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { appendText } from './appended-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-appended-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('adds to what is there, and begins a file where none is', () => {
  const path = join(folder, 'letters');
  appendText(path, 'one\n');
  appendText(path, 'two\n');
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
});

test('writes into a pipe that has a reader, and refuses one that has none', () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  expect(() => appendText(path, 'lost\n')).toThrow(/ENXIO/);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  appendText(path, 'heard\n');
  const bytes = Buffer.alloc(16);
  expect(bytes.toString('utf8', 0, readSync(reader, bytes))).toBe('heard\n');
  closeSync(reader);
});
