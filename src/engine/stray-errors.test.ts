import { beforeAll, describe, expect, it } from 'vitest';
import { failureOf, threadCount, within } from './fixtures/outcome.fixture.ts';
import stray from './fixtures/stray.fixture.ts';

let threads = 0;
beforeAll(async () => {
  await failureOf(stray.run({ params: { name: 'rejection' } }).drain());
  threads = threadCount();
});

const TIMER = /^nobody caught what a callback of 'culprit' threw: RangeError: thrown by a timer$/;
const REJECTION = /^nobody handled a promise of 'culprit' that was rejected: RangeError: nobody handles it$/;

describe.each([
  ['in the source’s thread', 0],
  ['in two threads', 2],
])('an error that is left to nobody, %s', (_, parallelism) => {
  it.each([
    ['timer', TIMER],
    ['rejection', REJECTION],
    ['syncRejection', REJECTION],
    ['endlessRejection', REJECTION],
    ['endlessTimer', TIMER],
    ['timerAtTheEnd', TIMER],
    ['rejectionAtTheEnd', REJECTION],
    ['nothingThrown', /^nobody handled a promise of 'culprit' that was rejected: undefined$/],
    ['oneOfTwo', REJECTION],
    ['eitherOfTwo', /^nobody caught what a callback of 'before' or 'after' threw: RangeError/],
    ['source', REJECTION],
  ])('fails the run and names its operator: %s', async (name, message) => {
    const run = stray.run({ params: { name, parallelism } });
    const error = await within(failureOf(run.drain()));
    expect([error.code, error.message]).toEqual(['VENTURI_UNCAUGHT', expect.stringMatching(message)]);
    await expect(run.finished).rejects.toBe(error);
    expect(threadCount()).toBeLessThanOrEqual(threads);
  });

  it.each([
    ['rejection', 100],
    ['syncRejection', 100],
    ['rejectionAtTheEnd', 3],
  ])('is a warning where the operator gives elements up: %s', async (name, elements) => {
    const summary = await within(stray.run({ params: { name, parallelism, skip: true } }).drain());
    expect(summary).toMatchObject({ status: 'completed', elements });
    expect(summary.warnings).toEqual([
      "Nobody caught an error in callbacks or promises; the first was of 'culprit': RangeError: nobody handles it",
    ]);
  });

  it('is no failure where it answers a stop', async () => {
    const run = stray.run({ params: { name: 'atStop', parallelism }, chunkElements: 1 });
    for await (const __ of run) break;
    expect(await within(run.finished)).toMatchObject({ status: 'stopped', warnings: [] });
  });
});
