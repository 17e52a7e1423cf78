import { describe, expect, test } from 'vitest';
import { VenturiError } from '../model/errors.ts';
import { printFailure, userFrames } from './failure.ts';
import { FakeContext } from './fake-context.fixture.ts';

describe('an expected failure', () => {
  test('is its code, what happened, and what to do', () => {
    const context = new FakeContext();
    const error = new VenturiError('VENTURI_RUN_NOT_FOUND', 'There is no run at x.', { remedy: 'Record one.' });
    expect(printFailure(error, context.terminal, false)).toBe(3);
    expect(context.stderr).toBe('error VENTURI_RUN_NOT_FOUND: There is no run at x.\n→ Record one.\n');
    expect(context.stdout).toBe('');
  });

  test('is also an object on stdout where JSON was asked for', () => {
    const context = new FakeContext();
    const error = new VenturiError('VENTURI_USAGE', 'No.', { remedy: 'Yes.' });
    expect(printFailure(error, context.terminal, true)).toBe(2);
    expect(JSON.parse(context.stdout)).toEqual({
      schemaVersion: 1,
      error: { code: 'VENTURI_USAGE', message: 'No.', remedy: 'Yes.' },
    });
  });

  test('keeps line breaks of the message and nothing else a terminal would obey', () => {
    const context = new FakeContext();
    printFailure(
      new VenturiError('VENTURI_PIPELINE_SYNTAX', 'a.ts:1\n  \x1b[31mlet 1\x1b[0m'),
      context.terminal,
      false,
    );
    expect(context.stderr).toBe('error VENTURI_PIPELINE_SYNTAX: a.ts:1\n  let 1\n');
  });
});

describe('a function of the user that throws', () => {
  const stack = [
    'TypeError: no marker',
    '    at decode (/home/me/images.ts:12:7)',
    '    at run (/opt/venturi/dist/engine/runtime/lane.js:3:1)',
    '    at file:///opt/venturi/dist/engine/loop.js:3:1',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    '    at /home/me/node_modules/jpeg/index.js:1:1',
  ].join('\n');

  test('shows the user’s frames and not the engine’s', () => {
    expect(userFrames({ stack }, '/opt/venturi/dist/')).toEqual([
      '    at decode (/home/me/images.ts:12:7)',
      '    at /home/me/node_modules/jpeg/index.js:1:1',
    ]);
  });

  test('exits as a failed program', () => {
    const context = new FakeContext();
    const error = new VenturiError('VENTURI_USER_FUNCTION', 'decode threw: no marker', { cause: { stack } });
    expect(printFailure(error, context.terminal, false)).toBe(5);
    expect(context.stderr).toContain('images.ts:12:7');
  });

  test('may have thrown something without a stack', () => {
    expect(userFrames('a string')).toEqual([]);
    expect(userFrames(undefined)).toEqual([]);
  });
});

test('anything else is a bug: its stack, and whom to tell', () => {
  const context = new FakeContext();
  expect(printFailure(new TypeError('x is undefined'), context.terminal, true)).toBe(1);
  expect(context.stderr).toMatch(/TypeError: x is undefined\n +at /);
  expect(context.stderr).toContain('Please report it');
  expect(JSON.parse(context.stdout).error).toMatchObject({ code: 'VENTURI_BUG', message: 'x is undefined' });
});
