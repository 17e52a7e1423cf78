import fc from 'fast-check';
import type { RunOptions } from 'venturi/engine';
import { describe, it } from 'vitest';
import { graphOf } from './fixtures/described.fixture.ts';
import { chunkElements, DescribedRuns, options, slots } from './fixtures/described-runs.fixture.ts';
import { cachedGraphs, descriptions, endlessDescriptions, graphs, onDisk } from './fixtures/descriptions.fixture.ts';
import { rareGraphs } from './fixtures/rare-graphs.fixture.ts';

const runs = new DescribedRuns(30_000);
const { files, folder } = runs;

/** After every piece, as often as it goes, or as a user would have it. */
const resumable: fc.Arbitrary<RunOptions['resumable']> = fc.constantFrom(
  { everyMs: 0 },
  { everyMs: 0 },
  { everyMs: 1 },
  true,
  false,
);
const inline: fc.Arbitrary<RunOptions> = fc
  .record({ chunkElements, resumable })
  .map(({ chunkElements: chunk, resumable: own }) => ({
    ...options({ chunkElements: chunk, slots: undefined }),
    ...(own !== undefined && { resumable: own }),
    parallelism: 0 as const,
  }));
const threaded: fc.Arbitrary<RunOptions> = fc
  .record({ chunkElements, slots, resumable })
  .map(({ chunkElements: chunk, slots: own, resumable: saves }) => ({
    ...options({ chunkElements: chunk, slots: own }),
    ...(saves !== undefined && { resumable: saves }),
  }));
const stretches = fc.array(fc.nat(40), { minLength: 2, maxLength: 2 });

describe('a run that is saved and resumed gives exactly the rest', () => {
  it('inline, at any chunk size', async () => {
    const property = fc.asyncProperty(
      descriptions(files, 7),
      fc.nat(5),
      stretches,
      fc.tuple(inline, inline, inline),
      (description, seed, lengths, settings) => runs.resumes(graphOf(description), seed, lengths, settings),
    );
    await fc.assert(property, { seed: 1, numRuns: 300, endOnFailure: false });
  });

  it('inline, of any graph', async () => {
    const property = fc.asyncProperty(
      graphs(files, 9),
      fc.nat(5),
      stretches,
      fc.tuple(inline, inline, inline),
      (description, seed, lengths, settings) => runs.resumes(description, seed, lengths, settings),
    );
    await fc.assert(property, { seed: 2, numRuns: 250, endOnFailure: false });
  });

  it('inline, behind an endless repeat', async () => {
    const property = fc.asyncProperty(
      endlessDescriptions(4),
      fc.nat(5),
      stretches,
      fc.tuple(inline, inline, inline),
      (description, seed, lengths, settings) => runs.resumes(graphOf(description), seed, lengths, settings),
    );
    await fc.assert(property, { seed: 3, numRuns: 100, endOnFailure: false });
  });

  it('on threads, of any graph, whatever the settings before and after', async () => {
    const property = fc.asyncProperty(
      graphs(files, 6),
      fc.nat(5),
      stretches,
      fc.tuple(threaded, threaded, threaded),
      (description, seed, lengths, settings) => runs.resumes(description, seed, lengths, settings),
    );
    await fc.assert(property, { seed: 4, numRuns: 8, endOnFailure: true });
  });

  it('on threads and without, one after the other', async () => {
    const property = fc.asyncProperty(
      graphs(files, 6),
      fc.nat(5),
      stretches,
      fc.oneof(
        fc.tuple(threaded, inline, inline),
        fc.tuple(inline, threaded, inline),
        fc.tuple(threaded, inline, threaded),
      ),
      (description, seed, lengths, settings) => runs.resumes(description, seed, lengths, settings),
    );
    await fc.assert(property, { seed: 5, numRuns: 14, endOnFailure: true });
  });

  it('in rare shapes', async () => {
    const property = fc.asyncProperty(
      rareGraphs(files),
      fc.nat(5),
      fc.array(fc.nat(400), { minLength: 2, maxLength: 2 }),
      fc.oneof(fc.tuple(inline, inline, inline), fc.tuple(threaded, inline, threaded)),
      (description, seed, lengths, settings) => runs.resumes(description, seed, lengths, settings),
    );
    await fc.assert(property, { seed: 6, numRuns: 24, endOnFailure: true });
  });

  it('from caches in memory and on disk', async () => {
    const property = fc.asyncProperty(
      cachedGraphs(files, 5),
      fc.nat(5),
      stretches,
      fc.oneof(fc.tuple(inline, inline, inline), fc.tuple(threaded, inline, threaded)),
      async (cached, seed, lengths, settings) => {
        await runs.resumes(cached, seed, lengths, settings);
        await runs.resumes(onDisk(cached, folder), seed, lengths, settings);
        // Some are there now.
        await runs.resumes(onDisk(cached, folder), seed, lengths, settings);
      },
    );
    await fc.assert(property, { seed: 7, numRuns: 10, endOnFailure: true });
  });
});
