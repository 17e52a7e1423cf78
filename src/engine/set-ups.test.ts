import { describe, expect, it } from 'vitest';
import { define } from './api/define.ts';
import { perWorker } from './contract/context.ts';
import { failureOf } from './fixtures/outcome.fixture.ts';
import { range } from './sources/range.ts';

describe('a set-up in plain JavaScript that returns', () => {
  it.each([
    [
      () =>
        (x: number): number =>
          x + 1,
      'a function',
    ],
    [
      async () =>
        async (x: number): Promise<number> =>
          x,
      'a function',
    ],
    [() => undefined, 'undefined without a function call'],
    [() => null, 'null'],
    [() => ({ run: () => 1 }), 'an object without a function call'],
    [() => ({ call: 3 }), 'an object without a function call'],
  ])('%s is refused by name', async (setup, what) => {
    const pipeline = range(3).map(perWorker<(x: number) => number>(setup as never), { name: 'own' });
    const error = await failureOf(
      define({ url: import.meta.url }, { spec: {}, build: () => pipeline })
        .run({ parallelism: 0 })
        .drain(),
    );
    expect([error.code, error.message]).toEqual(['VENTURI_BAD_OPTION', `the set-up of 'own' returned ${what}`]);
    expect(error.remedy).toContain('return { call } or { call, close } from it');
  });
});
