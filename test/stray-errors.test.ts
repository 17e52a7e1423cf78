import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();

beforeAll(() => {
  const leave = `const leave = async (x: number): Promise<number> => {
      if (x === 5) void Promise.reject(new RangeError('nobody handles it'));
      await new Promise(resolve => setTimeout(resolve, 1));
      return x;
    };`;
  shop.pipeline('function.ts', "range(p.n).map(leave, { name: 'leave' })", leave, '{ n: 100 }');
  shop.pipeline(
    'module.ts',
    'range(p.n).map(x => x * 2)',
    "setTimeout(() => { throw new RangeError('thrown by a module'); }, 20);",
    '{ n: 1e15 }',
  );
});

afterAll(() => shop.remove());

describe('an error that is left to nobody', () => {
  it.each([
    ['function.ts', [], /promise of 'leave' that was rejected: RangeError: nobody handles it/],
    ['function.ts', ['--inline'], /promise of the main thread that was rejected: RangeError: nobody handles it/],
    ['module.ts', [], /: RangeError: thrown by a module/],
    ['module.ts', ['--inline'], /: RangeError: thrown by a module/],
  ])('in %s %j fails the run as the author’s error, and its recording says so', async (file, flags, message) => {
    const name = `${file}${flags.join('')}`;
    const { code, stdout, stderr } = await shop.venturi('run', file, '--record', name, '--json', ...flags);
    expect(stderr).toMatch(/^error VENTURI_UNCAUGHT: /m);
    expect(stderr).toMatch(new RegExp(`at .*${file}:`));
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'VENTURI_UNCAUGHT',
      message: expect.stringMatching(message),
    });
    expect(code).toBe(5);
    // What a module's own timer throws may come before there is a recording.
    if (file === 'function.ts') expect(await shop.info(name)).toMatchObject({ complete: true, status: 'failed' });
  });
});
