import fc from 'fast-check';
import { type DescribedPipeline, describePipeline } from 'venturi/engine';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/fixtures/depth.ts';
import type { Action } from '../model/plan.ts';
import described, { type GraphDescription } from './fixtures/described.fixture.ts';
import { chunkElements, DescribedRuns, options, slots } from './fixtures/described-runs.fixture.ts';
import { cachedGraphs, graphs } from './fixtures/descriptions.fixture.ts';

const runs = new DescribedRuns(30_000);
const { files } = runs;

const pipelineOf = (description: GraphDescription): DescribedPipeline =>
  describePipeline(described, { description: JSON.stringify(description) });

/** For each operator at most one change of any kind, whether it makes sense or not. */
const wishes = fc.array(
  fc.record({
    at: fc.nat(30),
    kind: fc.constantFrom('parallelism', 'ride', 'prefetch', 'cache', 'remove', 'divide'),
    number: fc.integer({ min: 1, max: 4 }),
  }),
  { minLength: 1, maxLength: 6 },
);

type Wish = (typeof wishes extends fc.Arbitrary<infer W> ? W : never) extends readonly (infer E)[] ? E : never;

function actionOf({ at, kind, number }: Wish, { operators }: DescribedPipeline): Action {
  const removable = operators.filter(each => each.removable === true || each.cache !== undefined);
  const among = kind === 'remove' && removable.length > 0 ? removable : operators;
  const operator = among[at % among.length]?.id ?? '';
  switch (kind) {
    case 'parallelism':
      return { kind, operator, to: number };
    case 'ride':
      return { kind: 'parallelism', operator };
    case 'prefetch':
      return { kind, operator, elements: number };
    case 'cache':
      return { kind, operator, limit: 1e9 };
    case 'divide':
      return { kind, operator, parallelism: number };
    default:
      return { kind: 'remove', operator };
  }
}

const firstOf = <T>(arbitrary: fc.Arbitrary<T>): T => fc.sample(arbitrary, { numRuns: 1, seed: 1 })[0] as T;

/** Those that the engine takes, one after the other. */
function accepted(pipeline: DescribedPipeline, wanted: readonly Wish[]): Action[] {
  const taken: Action[] = [];
  for (const wish of wanted) {
    const action = actionOf(wish, pipeline);
    try {
      pipeline.check({ shape: pipeline.shape, actions: [...taken, action] });
      taken.push(action);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'VenturiError')) throw error;
    }
  }
  return taken;
}

describe('whatever plan is accepted, the elements and their order stay', () => {
  const taken = new Map<string, number>();
  const property = (where: { readonly parallelism?: 0 }, mostNodes: number) =>
    fc.asyncProperty(
      // A cache that is gone through once is none.
      fc.oneof(graphs(files, mostNodes), cachedGraphs(files, mostNodes - 2)),
      wishes,
      fc.nat(5),
      fc.record({ chunkElements, slots }),
      async (description, wanted, seed, settings) => {
        const actions = accepted(pipelineOf(description), wanted);
        for (const { kind } of actions) taken.set(kind, (taken.get(kind) ?? 0) + 1);
        await runs.agrees(description, seed, { ...options(settings), ...where, plan: { shape: undefined, actions } });
      },
    );

  it('inline', async () => {
    await fc.assert(property({ parallelism: 0 }, 7), {
      seed: 21,
      numRuns: rounds(80, 320),
      endOnFailure: true,
    });
    // A check that refuses everything would let everything pass.
    for (const kind of ['parallelism', 'prefetch', 'cache', 'remove', 'divide']) {
      expect([kind, (taken.get(kind) ?? 0) >= rounds(2, 10)]).toEqual([kind, true]);
    }
  });

  it('on threads', async () => {
    await fc.assert(property({}, 5), { seed: 22, numRuns: rounds(2, 10), endOnFailure: true });
  });
});

describe('a plan that no file could hold', () => {
  const pipeline = pipelineOf(firstOf(cachedGraphs(files, 3)));
  const operator = pipeline.operators[0]?.id ?? '';

  it.each([
    [{ kind: 'prefetch', operator }, /prefetch at .*: elements is undefined/],
    [{ kind: 'prefetch', operator, elements: 4, slots: 0.5 }, /slots is 0.5/],
    [{ kind: 'cache', operator, limit: Number.NaN }, /limit is NaN/],
    [{ kind: 'hurry', operator }, /is 'hurry'/],
  ])('is refused: %o', (action, why) => {
    expect(() => pipeline.check({ shape: undefined, actions: [action as Action] })).toThrow(why);
  });
});
