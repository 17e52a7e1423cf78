import fc from 'fast-check';
import type { RunOptions, Tensor } from 'venturi/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { rounds } from '../../test/fixtures/depth.ts';
import { collect, failureOf, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';
import stacks from './fixtures/stacks.fixture.ts';

const folder = new ScratchFolder();
afterAll(() => folder.remove());

const INLINE: RunOptions = { parallelism: 0 };

/** A batch as short as it can be said: names, labels, and whether its image is what it should be. */
function told(batch: unknown): unknown {
  const { image, label, name } = batch as {
    readonly image: Tensor<Float32Array>;
    readonly label: Tensor<BigInt64Array>;
    readonly name: readonly string[];
  };
  const [, , numbers = 0] = image.shape;
  const isRight = image.data.every((x, at) => x === Number(label.data[Math.floor(at / numbers)]));
  return [image.shape.join(), [...label.data].map(Number), label.shape.join(), name.map(Number), isRight];
}

const expected = (numbers: readonly number[], size: number, length: number): unknown[] =>
  Array.from({ length: Math.ceil(numbers.length / size) }, (_, k) => {
    const xs = numbers.slice(k * size, (k + 1) * size);
    return [`${xs.length},1,${length}`, xs, `${xs.length}`, xs, true];
  });

describe('batches in one array', () => {
  const settings = fc.record({
    name: fc.constantFrom('plain', 'placed', 'filtered'),
    count: fc.nat(40),
    size: fc.integer({ min: 1, max: 9 }),
    // From less than a slot holds to more than one does.
    numbers: fc.constantFrom(1, 1000, 20_000),
    parallelism: fc.integer({ min: 1, max: 4 }),
  });

  it('are the same at any parallelism, batch size, remainder and memory, and never change for who keeps them', async () => {
    const options = fc.record({
      memory: fc.constantFrom(2 ** 20, 2 ** 28),
      epochs: fc.constantFrom(1, 2),
      slots: fc.constantFrom(1, 3, undefined),
    });
    await fc.assert(
      fc.asyncProperty(settings, options, async (params, { slots, ...settled }) => {
        const run = stacks.run({ params, ...settled, ...(slots !== undefined && { slots }) });
        const kept = await within(collect(run));
        const xs = Array.from({ length: params.count }, (_, x) => x);
        const wanted = params.name === 'filtered' ? xs.filter(x => x % 3 !== 0) : xs;
        const once = expected(wanted, params.size, params.numbers);
        expect(kept.map(told)).toEqual(settled.epochs === 2 ? [...once, ...once] : once);
      }),
      { numRuns: rounds(5, 20) },
    );
  });

  it('are made in lanes, and without threads, by the same rules', async () => {
    const params = { name: 'whole', count: 50, size: 4 };
    const run = stacks.run({ params });
    expect(run.graph.stages.map(({ parallelism }) => parallelism)).toEqual([1, 3, 1]);
    const threads = (await within(collect(run))).map(told);
    expect(threads).toEqual(expected(xs(50), 4, 10).slice(1, 6));
    expect((await collect(stacks.run({ params, ...INLINE }))).map(told)).toEqual(threads);
  });

  it('are their keeper’s where a function behind them has them', async () => {
    const kept = await within(collect(stacks.run({ params: { name: 'kept', count: 40, numbers: 20_000 } })));
    const batches = kept as { batch: unknown; isChanged: boolean }[];
    expect(batches.map(({ batch }) => told(batch))).toEqual(expected(xs(40), 4, 20_000));
    expect(batches.some(({ isChanged }) => isChanged)).toBe(false);
  });

  it.each([10, 20_000])('are made anew where a lane dies over them: %s numbers', async numbers => {
    const log = `${folder.path}/died-${numbers}`;
    const run = stacks.run({ params: { name: 'mortal', count: 41, numbers, log } });
    expect((await within(collect(run))).map(told)).toEqual(expected(xs(41), 4, numbers));
  });

  it('go on where a run was saved in the midst of one', async () => {
    const params = { name: 'placed', count: 23, size: 5 };
    const first = stacks.run({ params, ...INLINE, chunkElements: 1, resumable: { everyMs: 0 } });
    const given: unknown[] = [];
    for await (const batch of first) if (given.push(batch) === 2) break;
    given.push(...(await within(collect(stacks.run({ resume: await first.save() })))));
    expect(given.map(told)).toEqual(expected(xs(23), 5, 10));
  });

  it('name the element that is not like the others', async () => {
    for (const options of [{}, INLINE]) {
      const failure = await failureOf(collect(stacks.run({ params: { name: 'uneven' }, ...options })));
      expect(failure.code).toBe('VENTURI_BAD_RECORD');
      expect(failure.message).toContain('failed on element 5');
      expect(failure.message).toContain(
        "its 'image' is a Float32Array of shape [2], where other elements of its batch have a Float32Array of shape [3]",
      );
      expect(failure.remedy).toContain('paddedBatch');
    }
  });
});

const xs = (count: number): number[] => Array.from({ length: count }, (_, x) => x);
