import { expect, it } from 'vitest';
import { terminated } from './fixtures/terminations.ts';

it('none of 80 threads that are ended inside calls out of JavaScript takes the process with it', async () => {
  for (let round = 0; round < 2; round++) {
    const { inside, ...ending } = await terminated(40, round, false);
    expect(ending, `seed ${round}`).toEqual({ code: 0, signal: null, stderr: '' });
    // Between two calls a thread is hardly ever found.
    expect(Object.values(inside).reduce((sum, times) => sum + times, 0)).toBeGreaterThan(0);
  }
}, 2_400_000);

it('nor do threads that work while 8 processes leave', async () => {
  for (let round = 0; round < 8; round++) {
    const { inside: _, ...ending } = await terminated(3, round, true);
    expect(ending, `seed ${round}`).toEqual({ code: 7, signal: null, stderr: '' });
  }
}, 1_200_000);
