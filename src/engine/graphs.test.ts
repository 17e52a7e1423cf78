import fc from 'fast-check';
import type { RunOptions } from 'venturi/engine';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/fixtures/depth.ts';
import type { GraphDescription, StepDescription } from './fixtures/described.fixture.ts';
import { chunkElements, DescribedRuns, options, slots } from './fixtures/described-runs.fixture.ts';
import { cachedGraphs, graphs, onDisk } from './fixtures/descriptions.fixture.ts';
import { RARE, type Rare, rareGraphs, rareIn } from './fixtures/rare-graphs.fixture.ts';

const runs = new DescribedRuns(30_000);
const { files, folder } = runs;
const agrees = (description: GraphDescription, seed: number, settings: RunOptions): Promise<void> =>
  runs.agrees(description, seed, settings);

describe('a graph gives the elements its operators say, in their order', () => {
  it('inline, at any chunk size', async () => {
    const property = fc.asyncProperty(graphs(files, 9), fc.nat(5), chunkElements, (description, seed, chunk) =>
      agrees(description, seed, { ...options({ chunkElements: chunk, slots: undefined }), parallelism: 0 }),
    );
    await fc.assert(property, { seed: 1, numRuns: rounds(36, 120), endOnFailure: false });
  });

  it('on threads, at any parallelism, chunk size and number of slots', async () => {
    const property = fc.asyncProperty(
      graphs(files, 6),
      fc.nat(5),
      fc.record({ chunkElements, slots }),
      (description, seed, settings) => agrees(description, seed, options(settings)),
    );
    await fc.assert(property, { seed: 3, numRuns: rounds(5, 10), endOnFailure: true });
  });

  it.each([
    ['inline', rounds(16, 40), rounds(1, 3), { parallelism: 0 as const }],
    ['on threads', rounds(4, 12), rounds(0, 1), {}],
  ])('in rare shapes, %s', async (_, numRuns, atLeast, where) => {
    const hit = new Map<Rare, number>(RARE.map(rare => [rare, 0]));
    const property = fc.asyncProperty(
      rareGraphs(files),
      fc.nat(5),
      fc.record({ chunkElements: fc.constantFrom(7, 100, undefined), slots }),
      async (description, seed, settings) => {
        for (const rare of rareIn(description)) hit.set(rare, (hit.get(rare) ?? 0) + 1);
        await agrees(description, seed, { ...options(settings), ...where });
      },
    );
    await fc.assert(property, { seed: 13, numRuns, endOnFailure: true });
    // A generator that no longer makes them would let everything pass.
    expect([...hit].filter(([, times]) => times < atLeast)).toEqual([]);
  });

  it('from caches in memory and on disk, inline', async () => {
    const property = fc.asyncProperty(cachedGraphs(files, 6), fc.nat(5), chunkElements, async (cached, seed, chunk) => {
      const settings: RunOptions = { ...options({ chunkElements: chunk, slots: undefined }), parallelism: 0 };
      await agrees(cached, seed, settings);
      await agrees(onDisk(cached, folder), seed, settings);
      // Some are there now.
      await agrees(onDisk(cached, folder), seed, settings);
    });
    await fc.assert(property, { seed: 5, numRuns: rounds(24, 80), endOnFailure: false });
  });

  it('from caches in memory and on disk, on threads', async () => {
    const property = fc.asyncProperty(
      cachedGraphs(files, 3),
      fc.nat(5),
      fc.record({ chunkElements, slots }),
      async (cached, seed, settings) => {
        await agrees(cached, seed, options(settings));
        await agrees(onDisk(cached, folder), seed, options(settings));
        await agrees(onDisk(cached, folder), seed, options(settings));
      },
    );
    await fc.assert(property, { seed: 7, numRuns: rounds(1, 3), endOnFailure: true });
  });

  it('where several ask for more of the same before an async function is done', async () => {
    const [one = '', two = ''] = files;
    const nodes: GraphDescription['nodes'] = [
      { source: { kind: 'lines', paths: [one, two] } },
      { source: { kind: 'lines', paths: [one] } },
      { join: 'concat', inputs: [0, 0], block: 2 },
      { step: { kind: 'later', call: 'twice', concurrency: 1 }, input: 2 },
      { join: 'merge', inputs: [3, 3], block: 1 },
      { join: 'merge', inputs: [3, 0], block: 1 },
      { step: { kind: 'interleave', cycle: 4, block: 2, from: 4, inner: [] }, input: 5 },
      { join: 'zip', inputs: [1, 4, 6], block: 1 },
      { step: { kind: 'repeat', times: 3 }, input: 7 },
    ];
    await agrees({ nodes }, 0, { parallelism: 0, chunkElements: 1 });
  });

  it('where a pass ends while a pipeline that an interleave opened is being read', async () => {
    const [one = ''] = files;
    const inner: StepDescription[] = [{ kind: 'later', call: 'twice', concurrency: 1 }];
    const nodes: GraphDescription['nodes'] = [
      { source: { kind: 'lines', paths: [one] } },
      { step: { kind: 'interleave', cycle: 1, block: 1, from: one, inner }, input: 0 },
      { source: { kind: 'range', count: 38, start: 4, step: 1 } },
      { join: 'zip', inputs: [2, 1], block: 1 },
      { step: { kind: 'repeat', times: 3 }, input: 3 },
    ];
    await agrees({ nodes }, 0, { parallelism: 0, chunkElements: 1 });
  });
});
