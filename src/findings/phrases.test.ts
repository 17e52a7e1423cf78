import { expect, test } from 'vitest';
import { listed } from './phrases.ts';

test('few names are listed, of many the first and how many more there are', () => {
  const names = Array.from({ length: 40 }, (_, at) => `step ${at}`);
  expect(listed(names.slice(0, 3))).toBe('step 0, step 1, step 2');
  expect(listed(names.slice(0, 6))).not.toContain('more');
  expect(listed(names)).toBe('step 0, step 1, step 2, step 3, step 4 and 35 more');
});
