import { readFileSync } from 'node:fs';
import type { RunOptions } from 'venturi/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { collect, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';
import sinks from './fixtures/sinks.fixture.ts';

const folder = new ScratchFolder();
afterAll(() => folder.remove());

const MANY = 1_000_000;
const SUM = (MANY * (MANY + 1)) / 2;

/** Runs a case with far too little memory for all elements, and gives what its sinks were given. */
async function consumed(
  name: string,
  parallelism: number,
  options: RunOptions = {},
): Promise<{ readonly elements: unknown[]; readonly seen: number; readonly sum: number }> {
  const log = folder.write(`${name}-${parallelism}.log`, '');
  const params = { name, count: MANY, parallelism, log };
  const elements = await within(collect(sinks.run({ params, memory: 2 ** 20, ...options })));
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  const [seen, sum] = [0, 1].map(at => lines.reduce((total, line) => total + Number(line.split(' ')[at]), 0));
  return { elements, seen: seen ?? 0, sum: sum ?? 0 };
}

describe('a sink beside others takes any number of elements', () => {
  it.each([1, 2, 3])('while others hand on as many, in %i threads', async parallelism => {
    const { elements, seen, sum } = await consumed('merged', parallelism);
    expect([elements.length, elements[0], elements.at(-1)]).toEqual([MANY, 2, 2 * MANY]);
    expect([seen, sum]).toEqual([MANY, SUM]);
  });

  it.each([
    ['late', 1, {}, 1, 1],
    ['late', 3, {}, 1, 1],
    ['late', 2, { slots: 1 }, 1, 1],
    ['late', 2, { chunkElements: 50 }, 1, 1],
    ['twoSinks', 2, {}, 2, 1],
    ['inTurn', 1, {}, 1, 1],
    ['inTurn', 2, {}, 1, 1],
    ['passes', 2, {}, 3, 3],
  ] as const)('%s, in %i threads with %o', async (name, parallelism, options, times, given) => {
    const { elements, seen, sum } = await consumed(name, parallelism, options);
    expect(elements).toEqual(Array.from({ length: given }, () => MANY));
    expect([seen, sum]).toEqual([times * MANY, times * SUM]);
  });

  it.each(['merged', 'late', 'inTurn', 'passes'])('where the run can be resumed: %s', async name => {
    const { seen, sum } = await consumed(name, 2, { resumable: { everyMs: 2 } });
    const times = name === 'passes' ? 3 : 1;
    expect([seen, sum]).toEqual([times * MANY, times * SUM]);
  });
});
