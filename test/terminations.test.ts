import { expect, it } from 'vitest';
import { terminated } from './fixtures/terminations.ts';

it('threads can be ended inside any call out of JavaScript, and the process lives on', async () => {
  const { inside, ...ending } = await terminated(17, 0, false);
  expect(ending).toEqual({ code: 0, signal: null, stderr: '' });
  expect(Object.keys(inside)).toHaveLength(17);
});

it('a process can leave while threads are inside such calls', async () => {
  const { inside, ...ending } = await terminated(5, 0, true);
  expect(ending).toEqual({ code: 7, signal: null, stderr: '' });
  expect(Object.keys(inside)).toHaveLength(17);
});
