import { describe, expect, it } from 'vitest';
import { whyNotKept } from '../../graph/soundness.ts';
import type { Operator } from '../../model/graph.ts';
import { kindText } from '../../model/kind.ts';
import { withTraits } from '../../model/kind-traits.ts';
import { defineOperator } from '../description/extension.ts';
import { concat, merge, zip } from '../description/joins.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { from } from '../sources/iterable.ts';
import { lines } from '../sources/lines.ts';
import { range } from '../sources/range.ts';
import { placeNodes } from './graph.ts';
import { Topology } from './topology.ts';

const numbers = (): Pipeline<number> => range(9);
const nothing = (): void => undefined;
const slow = async (x: number): Promise<number> => x;
const twice = defineOperator<number, number>({
  kind: 'twice',
  divisible: true,
  open: () => ({ element: x => [x, x] }),
});

const PIPELINES: readonly Pipeline<unknown>[] = [
  numbers()
    .map(Math.sqrt, { parallelism: 2 })
    .filter(Boolean)
    .flatMap(x => [x])
    .batch(2)
    .unbatch(),
  numbers()
    .map(slow, { concurrency: 4, onError: 'skip' })
    .map(Math.sqrt, { onError: { retries: 2 } }),
  numbers()
    .map((x, { index }) => x + index, { random: false })
    .shuffle(3)
    .shard(2, 0)
    .window(3),
  numbers().skip(1).take(3).repeat(2).repeat(3, { name: 'epochs' }),
  numbers().repeat().prefetch(4).transport(1e6).cache(),
  numbers()
    .cache({ folder: 'kept', limit: 1e6 })
    .interleave(x => range(x)),
  numbers().groupByLength(2, [3], x => x),
  numbers()
    .map(x => [x])
    .paddedBatch(2),
  zip([numbers(), concat([numbers(), from([1, 2])])]),
  merge([lines('a.txt').writeLines('b.txt'), numbers().forEach(nothing), numbers().apply(twice)]),
  from(function* () {
    yield 1;
  }),
];

/** What version 0.1 would have written of it. */
function bare(operator: Operator): Parameters<typeof withTraits>[0] {
  const { id, kind, label, inputs, settings, parallelism, concurrency, sequential, context, random } = operator;
  const { divisible, location } = operator;
  const said = { parallelism, concurrency, context, divisible, location };
  return {
    ...{ id, label, inputs, settings, sequential, kind: kindText(kind) },
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
    // Of a shuffle it was not said that it is random.
    ...(random !== undefined && operator.blocking !== true && { random }),
  };
}

const operatorsOf = (pipeline: Pipeline<unknown>): Operator[] =>
  placeNodes(pipeline.node).map(({ operator }) => operator);

describe('traits', () => {
  it.each(PIPELINES.map((pipeline, at) => [at, operatorsOf(pipeline)] as const))(
    'of pipeline %i are those that its kinds had in 0.1',
    (_, operators) => {
      for (const operator of operators) expect(withTraits(bare(operator))).toEqual(operator);
    },
  );

  it('tell where elements are given up, and what a number of settings means', () => {
    const [, skipping, retrying] = operatorsOf(PIPELINES[1] ?? numbers());
    expect([skipping?.elements, retrying?.elements]).toEqual(['fewer', 'same']);
    expect(skipping?.parameters).toMatchObject({ concurrency: { setting: 'concurrency', least: 1 } });
    const [, skip, take, repeat, epochs] = operatorsOf(PIPELINES[3] ?? numbers());
    expect([skip?.drops, take?.limit, repeat?.repeats, epochs?.repeats, epochs?.epochs]).toEqual([1, 3, 2, 3, true]);
  });
});

describe('what may be kept', () => {
  const why = (pipeline: Pipeline<unknown>): string | undefined => {
    const topology = new Topology(placeNodes(pipeline.node));
    const last = topology.nodes.at(-1);
    return last === undefined ? 'nothing' : whyNotKept(topology, last);
  };

  it('is nothing behind a sink: what that does would be done in the first pass alone', () => {
    expect(why(numbers().map(Math.sqrt))).toBeUndefined();
    expect(why(numbers().forEach(nothing))).toBe('nothing ever does');
    expect(why(merge([numbers(), range(3).forEach(nothing)]))).toBe(
      "what 'range:2/forEach' does is to be done in every pass",
    );
  });
});
