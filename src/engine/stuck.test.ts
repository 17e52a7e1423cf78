import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { logged, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';
import stuck from './fixtures/stuck.fixture.ts';

const folder = new ScratchFolder();
afterAll(() => folder.remove());

const CASES = [
  ['promise', 'inline', { parallelism: 0 }],
  ['source', 'inline', { parallelism: 0 }],
  ['promise', 'on threads', {}],
  ['source', 'on threads', {}],
  ['loop', 'on threads', {}],
  ['sink', 'inline', { parallelism: 0 }],
  ['sink', 'on threads', {}],
] as const;

/** What was begun and not finished. */
const unfinished = (): string[] => readdirSync(folder.path).filter(name => name.endsWith('.part'));

describe('a run with a function that does not return', () => {
  // Each of them takes the time that functions are given: they take it together.
  const endings = Promise.all(
    CASES.map(async ([name, where, options]) => {
      const log = folder.write(`${name} ${where}`, '');
      const run = stuck.run({ ...options, params: { name, log }, chunkElements: 1 });
      const drained = run.drain();
      await within(logged(log, 'stuck'));
      if (name === 'sink') expect(unfinished()).not.toEqual([]);
      await run.stop();
      return { name, where, summary: await within(drained), stuck: run.stuck() };
    }),
  );

  it.each(CASES)('ends when it is stopped, and says which it was: %s, %s', { timeout: 60_000 }, async (name, where) => {
    const ended = (await endings).find(ending => ending.name === name && ending.where === where);
    const [left] = ended?.stuck ?? [];
    expect(left).toMatchObject({ operators: ['culprit'], sinceNs: expect.any(Number) });
    expect(left?.element).toBe(name === 'source' ? undefined : 7);
    expect(ended?.summary).toMatchObject({
      status: 'stopped',
      warnings: [expect.stringMatching(name === 'source' ? /'culprit' has been at work/ : /'culprit' .* element 7 /)],
    });
  });

  it('leaves no file that was begun', async () => {
    await endings;
    expect(unfinished()).toEqual([]);
  });
});
