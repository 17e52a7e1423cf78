import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint, RunOptions } from 'venturi/engine';
import { afterAll, describe, expect, it } from 'vitest';
import elements from './fixtures/elements.fixture.ts';
import instances, { Money } from './fixtures/instances.fixture.ts';
import { collect, failureOf } from './fixtures/outcome.fixture.ts';
import { differenceOf } from './fixtures/sameness.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';

const scratch = new ScratchFolder();
afterAll(() => scratch.remove());

const INLINE: RunOptions = { parallelism: 0 };
const COUNT = 100;
const seed = (): number => Math.floor(Math.random() * 2 ** 31);

function expectSame(actual: readonly unknown[], expected: readonly unknown[], of: number): void {
  expect(actual).toHaveLength(expected.length);
  for (const [at, value] of expected.entries()) {
    expect([of, at, differenceOf(actual[at], value)]).toEqual([of, at, undefined]);
  }
}

describe('elements of any kind', () => {
  it.each<[string, RunOptions]>([
    ['sent', {}],
    ['sent', { chunkElements: 7 }],
    ['batched', { chunkElements: 5 }],
  ])('are what they are without threads: %s, %o', async (name, options) => {
    const params = { name, seed: seed(), count: COUNT };
    const expected = await collect(elements.run({ params, ...INLINE }));
    expectSame(await collect(elements.run({ params, ...options })), expected, params.seed);
  });

  it.each<[string, RunOptions, string]>([
    ['memory, without threads', INLINE, ''],
    ['memory', {}, ''],
    ['a file, without threads', INLINE, 'inline'],
    ['a file', {}, 'threads'],
  ])('are what they were when they come out of %s', async (_, options, folder) => {
    const given = { seed: seed(), count: COUNT };
    const expected = await collect(elements.run({ params: { ...given, name: 'sent' }, ...INLINE }));
    const params = { ...given, name: 'cached', folder: folder && join(scratch.path, folder) };
    expectSame(await collect(elements.run({ params, ...options })), [...expected, ...expected], given.seed);
  });

  it('are what they were when a run is resumed that held them', async () => {
    const params = { name: 'held', seed: seed(), count: 60 };
    const expected = await collect(elements.run({ params, ...INLINE }));
    const run = elements.run({ params, ...INLINE, resumable: { everyMs: 0 } });
    let seen = 0;
    let saved: Checkpoint | undefined;
    for await (const _ of run) {
      if (++seen < 30) continue;
      saved = JSON.parse(JSON.stringify(await run.save())) as Checkpoint;
      break;
    }
    if (saved === undefined) throw new Error('nothing was saved');
    const rest = await collect(elements.run({ resume: saved, ...INLINE }));
    expectSame(rest, expected.slice(seen), params.seed);
    expect(Object.values(saved.operators).some(({ state }) => (state?.length ?? 0) > 1000)).toBe(true);
  });
});

describe('instances of a class', () => {
  it('travel by its codec', async () => {
    const [first, second] = (await collect(instances.run({ params: { name: 'money', count: 300 } }))) as {
      of: Money;
    }[];
    expect(first?.of).toBeInstanceOf(Money);
    expect(`${second?.of}`).toBe('0');
    expect(second?.of).toEqual(new Money(1n));
  });

  it('without one are refused, by the name of the operator and of the class', async () => {
    const error = await failureOf(instances.run({ params: { name: 'unknown' } }).drain());
    expect(error.code).toBe('VENTURI_NOT_CLONEABLE');
    expect(error.message).toMatch(/^what 'wrap' gives cannot be sent on: Element \d+ .* it is of class Unknown\.$/);
    expect(error.remedy).toContain('defineCodec()');
  });

  it('without one are refused by a cache, with or without threads', async () => {
    for (const options of [INLINE, {}]) {
      const error = await failureOf(instances.run({ params: { name: 'unknownCached' }, ...options }).drain());
      expect(error.code).toBe('VENTURI_NOT_CLONEABLE');
      expect(error.message).toMatch(/it is of class Unknown\.$/);
    }
  });
});

it('a dead letter holds an element only where JSON can', async () => {
  const deadLetter = join(scratch.path, 'letters.jsonl');
  const params = { name: 'failing', seed: 7, count: 100 };
  await elements.run({ params, ...INLINE, deadLetter }).drain();
  const letters = readFileSync(deadLetter, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { index: number; element?: unknown; inspected?: string });
  expect(letters).toHaveLength(100);
  const given = await collect(elements.run({ params: { ...params, name: 'sent' }, ...INLINE }));
  for (const { index, element } of letters) {
    if (element !== undefined) expect(differenceOf(element, given[index])).toBe(undefined);
  }
  expect(letters.some(({ inspected }) => inspected?.includes('URL') === true)).toBe(true);
});
