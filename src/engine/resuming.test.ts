import fc from 'fast-check';
import type { RunOptions } from 'venturi/engine';
import { describe, it } from 'vitest';
import { rounds } from '../../test/fixtures/depth.ts';
import { type GraphDescription, graphOf } from './fixtures/described.fixture.ts';
import { chunkElements, DescribedRuns, options, slots } from './fixtures/described-runs.fixture.ts';
import {
  batchedDescriptions,
  cachedGraphs,
  descriptions,
  endlessDescriptions,
  graphs,
  onDisk,
} from './fixtures/descriptions.fixture.ts';
import { rareGraphs } from './fixtures/rare-graphs.fixture.ts';
import { isSound } from './fixtures/reference.fixture.ts';

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
const shares = fc.array(
  fc.nat(20).map(twentieths => twentieths / 20),
  { minLength: 2, maxLength: 2 },
);

/** Sometimes gone through again, and looked at by someone who wants to know which elements these are. */
const lookedAt = (graph: fc.Arbitrary<GraphDescription>): fc.Arbitrary<GraphDescription> =>
  fc
    .tuple(graph, fc.constantFrom(1, 2, 3), fc.constantFrom('where' as const, 'roll' as const))
    .map(([{ nodes }, times, call]) => ({
      nodes: [
        ...nodes,
        { step: { kind: 'map' as const, call }, input: nodes.length - 1 },
        { step: { kind: 'repeat' as const, times }, input: nodes.length },
      ],
    }))
    .filter(isSound);

describe('a run that is saved and resumed gives exactly the rest', () => {
  it('inline, at any chunk size', async () => {
    const property = fc.asyncProperty(
      lookedAt(descriptions(files, 7).map(graphOf)),
      fc.nat(5),
      shares,
      fc.tuple(inline, inline, inline),
      (description, seed, parts, settings) => runs.resumes(description, seed, parts, settings),
    );
    await fc.assert(property, { seed: 1, numRuns: rounds(15, 60), endOnFailure: false });
  });

  it('inline, of any graph', async () => {
    const property = fc.asyncProperty(
      lookedAt(graphs(files, 9)),
      fc.nat(5),
      shares,
      fc.tuple(inline, inline, inline),
      (description, seed, parts, settings) => runs.resumes(description, seed, parts, settings),
    );
    await fc.assert(property, { seed: 2, numRuns: rounds(10, 30), endOnFailure: false });
  });

  it('inline, behind an endless repeat', async () => {
    const property = fc.asyncProperty(
      endlessDescriptions(4),
      fc.nat(5),
      shares,
      fc.tuple(inline, inline, inline),
      (description, seed, parts, settings) => runs.resumes(graphOf(description), seed, parts, settings),
    );
    await fc.assert(property, { seed: 3, numRuns: rounds(12, 50), endOnFailure: false });
  });

  it('on threads, of any graph, whatever the settings before and after', async () => {
    const property = fc.asyncProperty(
      lookedAt(graphs(files, 6)),
      fc.nat(5),
      shares,
      fc.tuple(threaded, threaded, threaded),
      (description, seed, parts, settings) => runs.resumes(description, seed, parts, settings),
    );
    await fc.assert(property, { seed: 4, numRuns: rounds(2, 5), endOnFailure: true });
  });

  it('on threads and without, one after the other', async () => {
    const property = fc.asyncProperty(
      lookedAt(graphs(files, 6)),
      fc.nat(5),
      shares,
      fc.oneof(
        fc.tuple(threaded, inline, inline),
        fc.tuple(inline, threaded, inline),
        fc.tuple(threaded, inline, threaded),
      ),
      (description, seed, parts, settings) => runs.resumes(description, seed, parts, settings),
    );
    await fc.assert(property, { seed: 5, numRuns: rounds(3, 8), endOnFailure: true });
  });

  it('where lanes make batches, here and there', async () => {
    const property = fc.asyncProperty(
      lookedAt(batchedDescriptions(files).map(graphOf)),
      fc.nat(5),
      shares,
      fc.oneof(fc.tuple(threaded, threaded, threaded), fc.tuple(threaded, inline, threaded)),
      (description, seed, parts, settings) => runs.resumes(description, seed, parts, settings),
    );
    await fc.assert(property, { seed: 8, numRuns: rounds(2, 5), endOnFailure: true });
  });

  it('in rare shapes', async () => {
    const property = fc.asyncProperty(
      rareGraphs(files),
      fc.nat(5),
      shares,
      fc.oneof(fc.tuple(inline, inline, inline), fc.tuple(threaded, inline, threaded)),
      (description, seed, parts, settings) => runs.resumes(description, seed, parts, settings),
    );
    await fc.assert(property, { seed: 6, numRuns: rounds(3, 8), endOnFailure: true });
  });

  it.each([
    ['inline', rounds(8, 12), fc.tuple(inline, inline, inline)],
    ['on threads', rounds(1, 3), fc.tuple(threaded, inline, threaded)],
  ])('from caches in memory and on disk, %s', async (_, numRuns, settings) => {
    const property = fc.asyncProperty(
      cachedGraphs(files, 5),
      fc.nat(5),
      shares,
      settings,
      async (cached, seed, parts, own) => {
        await runs.resumes(cached, seed, parts, own);
        await runs.resumes(onDisk(cached, folder), seed, parts, own);
        // Some are there now.
        await runs.resumes(onDisk(cached, folder), seed, parts, own);
      },
    );
    await fc.assert(property, { seed: 7, numRuns, endOnFailure: true });
  });

  it('where a pass is left before all has come again that had been had', async () => {
    const nodes: GraphDescription['nodes'] = [
      { source: { kind: 'range', count: 2, start: 1, step: 1 } },
      { step: { kind: 'shuffle', buffer: 11 }, input: 0 },
      { join: 'zip', inputs: [0, 0], block: 1 },
      { join: 'concat', inputs: [1, 2], block: 1 },
      { step: { kind: 'repeat', times: 2 }, input: 3 },
    ];
    const often: RunOptions = { parallelism: 0, chunkElements: 1, resumable: { everyMs: 0 } };
    for (const share of [0.25, 0.375, 0.5, 0.625]) await runs.resumes({ nodes }, 0, [share], [often, often]);
  });
});
