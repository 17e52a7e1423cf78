import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../model/errors.ts';
import { EXIT, EXIT_OF } from './exit-codes.ts';

test('every error code has an exit code of its meaning, and none passes for success or a bug', () => {
  expect(Object.keys(EXIT_OF).sort()).toEqual([...ERROR_CODES].sort());
  for (const code of ERROR_CODES) {
    expect([EXIT.usage, EXIT.unreadableRun, EXIT.programFailed, EXIT.interrupted]).toContain(EXIT_OF[code]);
  }
});

test('the documented codes stay what they are', () => {
  expect(EXIT).toEqual({
    fine: 0,
    bug: 1,
    usage: 2,
    unreadableRun: 3,
    gateFailed: 4,
    programFailed: 5,
    interrupted: 130,
    terminated: 143,
  });
  expect(EXIT_OF).toMatchObject({
    VENTURI_USAGE: 2,
    VENTURI_RUN_UNREADABLE: 3,
    VENTURI_USER_FUNCTION: 5,
    VENTURI_INTERRUPTED: 130,
  });
});

test('docs/exit-codes.md has every error with its exit code', () => {
  const page = readFileSync(new URL('../../docs/exit-codes.md', import.meta.url), 'utf8');
  const told = [...page.matchAll(/^\| `(VENTURI_\w+)` \| (\d+) \|$/gm)].map(([, code, exit]) => [code, Number(exit)]);
  expect(Object.fromEntries(told)).toEqual(EXIT_OF);
  const exits = [...page.matchAll(/^\| (\d+) \| \S/gm)].map(([, exit]) => Number(exit));
  expect(exits).toEqual(Object.values(EXIT));
});
