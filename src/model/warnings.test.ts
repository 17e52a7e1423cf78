import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from './errors.ts';
import { WARNING_CODES } from './warnings.ts';

test('every code of a warning stands in the guide, in this order, and is no code of an error', () => {
  const guide = readFileSync(new URL('../../docs/warnings.md', import.meta.url), 'utf8');
  expect(guide.match(/(?<=^\| `)VENTURI_\w+/gm)).toEqual([...WARNING_CODES]);
  expect(WARNING_CODES.filter(code => new Set<string>(ERROR_CODES).has(code))).toEqual([]);
});
