import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { entryAt } from './entry.ts';

const HERE = fileURLToPath(import.meta.url);

it('is told of a file and a folder, and of nothing where a path leads nowhere', () => {
  expect(entryAt(HERE)?.isFile()).toBe(true);
  expect(entryAt(dirname(HERE))?.isDirectory()).toBe(true);
  const nowhere = [`${HERE}.gone`, `${HERE}/below-a-file`, `/${'long'.repeat(2000)}`, 'with\0nul'];
  expect(nowhere.map(entryAt)).toEqual(nowhere.map(() => undefined));
});
