import fc from 'fast-check';
import type { RunOptions } from 'venturi/engine';
import { describe, it } from 'vitest';
import { graphOf } from './fixtures/described.fixture.ts';
import { chunkElements, DescribedRuns, options, slots } from './fixtures/described-runs.fixture.ts';
import { descriptions, endlessDescriptions, graphs } from './fixtures/descriptions.fixture.ts';
import { rareGraphs } from './fixtures/rare-graphs.fixture.ts';

const runs = new DescribedRuns(30_000);
const { files } = runs;

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
    await fc.assert(property, { seed: 1, numRuns: 600, endOnFailure: false });
  });

  it('inline, of any graph', async () => {
    const property = fc.asyncProperty(
      graphs(files, 9),
      fc.nat(5),
      stretches,
      fc.tuple(inline, inline, inline),
      (description, seed, lengths, settings) => runs.resumes(description, seed, lengths, settings),
    );
    await fc.assert(property, { seed: 2, numRuns: 400, endOnFailure: false });
  });
});
