import { describe, expect, it } from 'vitest';
import { zip } from '../../description/joins.ts';
import type { Pipeline } from '../../description/pipeline.ts';
import { from } from '../../sources/iterable.ts';
import { range } from '../../sources/range.ts';
import { leastDone, planRun } from './run-plan.ts';

/** `done` by stage, in the order of the data; -1 where it is not known. */
const doneOf = (pipeline: Pipeline<unknown>, done: readonly number[]): number | undefined => {
  const plan = planRun(pipeline, { set: {}, epochs: 1, inline: true, memory: 2 ** 20, slots: undefined });
  return leastDone(
    plan,
    done.map((share, stage) => ({ stage, totals: { done: share } })),
  );
};

describe('a run is done', () => {
  it('as far as the source that has the longest way to go', () => {
    expect(doneOf(range(3), [0.5])).toBe(0.5);
    expect(doneOf(zip([range(3), range(4)]), [0.5, 0.25, -1])).toBe(0.25);
    expect(doneOf(zip([range(3), from([1])]), [0.5, -1, -1])).toBeUndefined();
  });

  it('as far as the first pass of a cache, and then as far as the cache', () => {
    const cached = range(3).cache().repeat(4);
    expect(doneOf(cached, [0.5, -1])).toBe(0.125);
    expect(doneOf(cached, [1, 0.375])).toBe(0.375);
    expect(doneOf(range(3).cache().repeat(), [0.5, -1])).toBeUndefined();
  });

  it('as far as the last of several caches', () => {
    const cached = range(3).cache().repeat(2).cache().repeat(5);
    expect(doneOf(cached, [0.5, -1, -1])).toBe(0.1);
    expect(doneOf(cached, [1, 0.75, -1])).toBe(0.15);
    expect(doneOf(cached, [1, 1, 0.4])).toBe(0.4);
  });
});
