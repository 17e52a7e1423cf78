import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import type { RunOptions } from 'venturi/engine';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/fixtures/depth.ts';
import { type Description, graphOf } from './fixtures/described.fixture.ts';
import { chunkElements, DescribedRuns, options, slots } from './fixtures/described-runs.fixture.ts';
import { batchedDescriptions, descriptions, endlessDescriptions } from './fixtures/descriptions.fixture.ts';
import { reference } from './fixtures/reference.fixture.ts';

const runs = new DescribedRuns(8_000);
const { files, folder } = runs;
const results = (description: Description, settings: RunOptions): Promise<unknown[]> =>
  runs.results(graphOf(description), settings);
const agrees = (description: Description, seed: number, settings: RunOptions): Promise<void> =>
  runs.agrees(graphOf(description), seed, settings);

/** A watched run goes through the timed copy of the loops. */
const probe = join(folder, 'probe.mjs');
writeFileSync(
  probe,
  `export const openLaneProbe = () => ({ cpu: () => performance.now() * 1e6, end() {}, tick() {}, close: () => [] });`,
);
const watched = { probe: { module: pathToFileURL(probe).href, options: {} } };

/** What once went wrong. */
const range = (count: number): Description['source'] => ({ kind: 'range', count, start: 0, step: 1 });
const regressions: readonly [Description['source'], Description['steps'], RunOptions][] = [
  // The rest of a batch, held back before an async function.
  [
    range(10),
    [
      { kind: 'batch', size: 4, dropRemainder: false },
      { kind: 'later', call: 'twice', concurrency: 2 },
    ],
    {},
  ],
  // Lanes that were told to leave a pass must be back for the next.
  [
    range(300),
    [
      { kind: 'map', call: 'where', parallelism: 3 },
      { kind: 'take', count: 5 },
      { kind: 'repeat', times: 4 },
    ],
    { chunkElements: 1 },
  ],
  // A take that is full before its pass has begun to come out.
  [range(10), [{ kind: 'shuffle', buffer: 100 }, { kind: 'repeat' }, { kind: 'take', count: 7 }], {}],
  // A shuffle that is cut short at some moment must not remember it.
  [
    range(1000),
    [
      { kind: 'shuffle', buffer: 10 },
      { kind: 'prefetch', elements: 5 },
      { kind: 'take', count: 3 },
      { kind: 'repeat', times: 3 },
      { kind: 'map', call: 'where' },
    ],
    {},
  ],
  // A pass that ends in a stage further up, while elements of it wait for their chunk to fill.
  [
    { kind: 'range', count: 1, start: 543, step: 1 },
    [
      { kind: 'repeat', times: 3 },
      { kind: 'flatMap', call: 'upToThree', parallelism: 1 },
      { kind: 'flatMap', call: 'rolled', parallelism: 2 },
    ],
    { chunkElements: 2, slots: 5 },
  ],
  // The end may overtake a slow lane of the stage before.
  [
    range(60),
    [
      { kind: 'later', call: 'twice', concurrency: 1, parallelism: 2 },
      { kind: 'map', call: 'where', parallelism: 3 },
    ],
    { chunkElements: 1 },
  ],
  // A shuffle that opens its stage.
  [
    range(6),
    [
      { kind: 'prefetch', elements: 3 },
      { kind: 'shuffle', buffer: 4 },
      { kind: 'map', call: 'roll' },
    ],
    {},
  ],
];

describe('a pipeline gives the elements its operators say, in their order', () => {
  it('inline, at any chunk size', async () => {
    const property = fc.asyncProperty(descriptions(files, 7), fc.nat(5), chunkElements, (description, seed, chunk) =>
      agrees(description, seed, { ...options({ chunkElements: chunk, slots: undefined }), parallelism: 0 }),
    );
    await fc.assert(property, { seed: 1, numRuns: rounds(48, 200), endOnFailure: false });
  });

  it('inline, behind an endless repeat', async () => {
    const property = fc.asyncProperty(endlessDescriptions(4), fc.nat(5), chunkElements, (description, seed, chunk) =>
      agrees(description, seed, { ...options({ chunkElements: chunk, slots: undefined }), parallelism: 0 }),
    );
    await fc.assert(property, { seed: 2, numRuns: rounds(18, 80) });
  });

  it('inline, while it is watched', async () => {
    const property = fc.asyncProperty(descriptions(files, 7), fc.nat(5), chunkElements, (description, seed, chunk) =>
      agrees(description, seed, {
        ...options({ chunkElements: chunk, slots: undefined }),
        ...watched,
        parallelism: 0,
      }),
    );
    await fc.assert(property, { seed: 8, numRuns: rounds(24, 100) });
  });

  it('on threads, while it is watched', async () => {
    const property = fc.asyncProperty(
      descriptions(files, 5),
      fc.nat(5),
      fc.record({ chunkElements, slots }),
      (description, seed, settings) => agrees(description, seed, { ...options(settings), ...watched }),
    );
    await fc.assert(property, { seed: 9, numRuns: rounds(2, 8), endOnFailure: true });
  });

  it('on threads, at any parallelism, chunk size and number of slots', async () => {
    const property = fc.asyncProperty(
      descriptions(files, 6),
      fc.nat(5),
      fc.record({ chunkElements, slots }),
      (description, seed, settings) => agrees(description, seed, options(settings)),
    );
    await fc.assert(property, { seed: 3, numRuns: rounds(4, 10), endOnFailure: true });
  });

  it('on threads that make batches themselves, of any size and with any remainder', async () => {
    const property = fc.asyncProperty(
      batchedDescriptions(files),
      fc.nat(5),
      fc.record({ chunkElements, slots }),
      (description, seed, settings) => agrees(description, seed, options(settings)),
    );
    await fc.assert(property, { seed: 10, numRuns: rounds(5, 10), endOnFailure: true });
  });

  it('on threads, behind an endless repeat', async () => {
    const property = fc.asyncProperty(
      endlessDescriptions(3),
      fc.nat(5),
      fc.record({ chunkElements, slots }),
      (description, seed, settings) => agrees(description, seed, options(settings)),
    );
    await fc.assert(property, { seed: 4, numRuns: rounds(1, 6), endOnFailure: true });
  });

  it.each(regressions.map(([source, steps, settings]) => ({ description: { source, steps }, settings })))(
    'also $description.steps',
    async ({ description, settings }) => {
      await agrees(description, 1, { ...settings, parallelism: 0 });
      await agrees(description, 1, settings);
    },
  );
});

describe('random numbers', () => {
  const shuffled: Description = {
    source: range(50),
    steps: [
      { kind: 'shuffle', buffer: 20 },
      { kind: 'repeat', times: 2 },
    ],
  };
  const rolled: Description = {
    source: range(20),
    steps: [
      { kind: 'repeat', times: 2 },
      { kind: 'map', call: 'roll', parallelism: 2 },
    ],
  };

  it.each([
    ['a shuffle', shuffled, 50],
    ['ctx.rng', rolled, 20],
  ])('%s repeats with its seed, and differs between seeds and epochs', async (_, description, length) => {
    const one = await results(description, { seed: 1 });
    expect(await results(description, { seed: 1, chunkElements: 3 })).toEqual(one);
    expect(await results(description, { seed: 2, parallelism: 0 })).not.toEqual(one);
    expect(one.slice(0, length)).not.toEqual(one.slice(length));
  });

  it('a shuffle loses nothing and hands nothing out twice', async () => {
    const given = await results(shuffled, { seed: 1, parallelism: 0 });
    const sorted = (elements: unknown[]): number[] => elements.map(Number).sort((a, b) => a - b);
    expect(sorted(given.slice(0, 50))).toEqual(Array.from({ length: 50 }, (_, x) => x));
    expect(sorted(given.slice(50))).toEqual(Array.from({ length: 50 }, (_, x) => x));
  });

  it('a shuffle with a seed of its own does not care for the run’s', async () => {
    const own: Description = { ...shuffled, steps: [{ kind: 'shuffle', buffer: 20, seed: 9 }] };
    expect(await results(own, { seed: 2, parallelism: 0 })).toEqual(await results(own, { seed: 1, parallelism: 0 }));
  });

  it('epochs of a run are passes like those of a repeat', async () => {
    const once: Description = { source: range(20), steps: [{ kind: 'map', call: 'where' }] };
    const twice: Description = {
      source: range(20),
      steps: [
        { kind: 'map', call: 'where' },
        { kind: 'repeat', times: 2 },
      ],
    };
    expect(await results(once, { epochs: 2 })).toEqual(await reference(graphOf(twice), 0));
  });
});
