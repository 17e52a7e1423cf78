import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInside } from './inside-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'venturi-inside-'));
const caches = join(root, 'caches');

beforeAll(() => {
  mkdirSync(join(caches, 'there'), { recursive: true });
  mkdirSync(join(root, 'caches-of-others'));
  symlinkSync(root, join(caches, 'up'));
  symlinkSync(join(caches, 'there'), join(root, 'into'));
  symlinkSync(join(root, 'not-yet'), join(caches, 'dangling'));
});
afterAll(() => rmSync(root, { recursive: true }));

it.each(['', 'there', 'new/and/deep', 'there/../new', 'up/caches/x', '..names/x'])('finds %j inside', path => {
  expect(isInside(caches, `${caches}/${path}`)).toBe(true);
  expect(isInside(caches, relative(process.cwd(), `${caches}/${path}`))).toBe(true);
  expect(isInside(join(root, 'fresh'), join(root, 'fresh', path))).toBe(true);
});

it.each(['..', '../x', '../caches-of-others', 'up', 'up/x', 'there/../../x', 'new/../../x'])(
  'finds %j outside',
  path => {
    expect(isInside(caches, `${caches}/${path}`)).toBe(false);
  },
);

it('follows links on both sides', () => {
  expect(isInside(join(root, 'into'), join(caches, 'there/x'))).toBe(true);
  expect(isInside(caches, join(root, 'into/x'))).toBe(true);
  expect(isInside(join(root, 'into'), join(caches, 'x'))).toBe(false);
});

it('does not guess where a link to nothing will lead', () => {
  expect(() => isInside(caches, join(caches, 'dangling/x'))).toThrow(/ENOENT/);
});
