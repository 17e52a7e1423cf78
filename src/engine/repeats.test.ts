import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/fixtures/depth.ts';
import { collect, within } from './fixtures/outcome.fixture.ts';
import repeats from './fixtures/repeats.fixture.ts';

const PARAMS = fc.record({
  count: fc.integer({ min: 0, max: 30 }),
  parallelism: fc.integer({ min: 1, max: 4 }),
  size: fc.integer({ min: 0, max: 5 }),
  times: fc.integer({ min: 1, max: 4 }),
  kept: fc.constantFrom(1, 1, 0.5),
});

type Stages = readonly { readonly operators: readonly string[]; readonly parallelism: number }[];

const lanesOf = ({ graph }: { readonly graph: { readonly stages: Stages } }): number[] =>
  graph.stages.map(({ parallelism }) => parallelism);

describe('what lanes make and a pass repeats', () => {
  it('goes from the lanes to the consumer, with nobody between them', async () => {
    for (const params of [{ size: 0 }, { size: 5 }]) {
      // Every pass of its own is repeated by the run.
      const run = repeats.run({ params, epochs: 3 });
      expect(lanesOf(run)).toEqual([1, 3]);
      expect(run.graph.stages[1]?.operators.slice(-2)).toEqual([expect.stringMatching(/repeat$/), 'epochs']);
      await run.stop();
    }
  });

  it('leaves lanes in which its elements were not counted', async () => {
    const run = repeats.run({ params: { kept: 0.5 } });
    expect(lanesOf(run)).toEqual([1, 3, 1]);
    await run.stop();
  });

  it('is what a single thread repeats', async () => {
    await fc.assert(
      fc.asyncProperty(PARAMS, fc.integer({ min: 1, max: 3 }), async (params, epochs) => {
        const expected = await collect(repeats.run({ params, epochs, parallelism: 0 }));
        expect(await within(collect(repeats.run({ params, epochs })))).toEqual(expected);
      }),
      { numRuns: rounds(7, 30) },
    );
  });

  it('is taken up where it was left, in as many lanes or without threads', async () => {
    const inline = fc.constantFrom<{ parallelism?: 0 }>({}, { parallelism: 0 });
    await fc.assert(
      fc.asyncProperty(
        PARAMS,
        fc.integer({ min: 1, max: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.tuple(inline, inline),
        async (params, epochs, part, [before, after]) => {
          const expected = await collect(repeats.run({ params, epochs, parallelism: 0 }));
          const left = Math.floor(part * expected.length);
          if (left === 0) return;
          const first = repeats.run({ params, epochs, ...before, chunkElements: 1, resumable: { everyMs: 0 } });
          const given: unknown[] = [];
          for await (const element of first) if (given.push(element) === left) break;
          const resumed = repeats.run({ resume: await first.save(), ...after });
          given.push(...(await within(collect(resumed))));
          expect(given).toEqual(expected);
        },
      ),
      { numRuns: rounds(7, 30) },
    );
  });
});
