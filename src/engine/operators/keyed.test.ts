import { describe, expect, it } from 'vitest';
import { define } from '../api/define.ts';
import { fingerprint, placeNodes } from '../compile/graph.ts';
import type { JoinKey } from '../description/hash-join.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { from } from '../sources/iterable.ts';
import { range } from '../sources/range.ts';

async function collect<T>(pipeline: Pipeline<T>, memory?: number): Promise<T[]> {
  const definition = define({ url: import.meta.url }, { spec: {}, build: () => pipeline });
  const elements: T[] = [];
  const budget = memory === undefined ? {} : { memory };
  for await (const element of definition.run({ parallelism: 0, ...budget })) elements.push(element);
  return elements;
}

const itself: unknown[] = [];
itself.push(itself);

const textOf = (pipeline: Pipeline<unknown>): string => fingerprint(placeNodes(pipeline.node));

describe('groups by key', () => {
  it('leave in the order of their first elements', async () => {
    const words = from(['pear', 'fig', 'plum', 'kiwi', 'date']);
    expect(await collect(words.groupBy(word => word.length).collect())).toEqual([
      { key: 4, value: ['pear', 'plum', 'kiwi', 'date'] },
      { key: 3, value: ['fig'] },
    ]);
    expect(await collect(words.groupBy(word => word.length).sum(word => word.length))).toEqual([
      { key: 4, value: 16 },
      { key: 3, value: 3 },
    ]);
  });

  it('are those of one pass, and begin anew with the next', async () => {
    const counts = range(3)
      .groupBy(x => x % 2)
      .reduce(
        (list: number[], x) => list.concat(x),
        () => [],
      );
    const pass = [
      { key: 0, value: [0, 2] },
      { key: 1, value: [1] },
    ];
    expect(await collect(counts.repeat(2))).toEqual([...pass, ...pass]);
  });

  it('are none of nothing', async () => {
    expect(
      await collect(
        range(0)
          .groupBy(x => x)
          .count(),
      ),
    ).toEqual([]);
  });

  it.each([
    ['numbers', [0, -0, Number.NaN, Number.NaN, 1, '1', 1n], [2, 2, 1, 1, 1]],
    ['what is unknown', [null, undefined, null, [null], [undefined], [null]], [2, 1, 2, 1]],
    ['arrays', [[1, 'a'], [1, 'a'], ['1', 'a'], [[1], 'a'], [1, 'a', undefined], '[n1;s1:a]'], [2, 1, 1, 1, 1]],
    ['arrays with holes', [new Array(1), [undefined], []], [2, 1]],
    ['lists of texts that look alike', [['a', 'b'], ['as1:b'], ['a,b']], [1, 1, 1]],
    [
      'objects, whatever the order of their properties',
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
        { a: 2, b: 1 },
      ],
      [2, 1],
    ],
    ['dates', [new Date(5), new Date(5), new Date(6), 5], [2, 1, 1]],
    ['symbols of the registry', [Symbol.for('a'), Symbol.for('a'), [Symbol.for('a')]], [2, 1]],
  ])('are equal by value: %s', async (_, keys, counts) => {
    const groups = await collect(
      from(keys as unknown[])
        .groupBy(key => key)
        .count(),
    );
    expect(groups.map(({ value }) => value)).toEqual(counts);
  });

  it.each([
    ['a function', () => 1],
    ['a map', new Map()],
    ['an instance', new (class Own {})()],
    ['a symbol of its own', Symbol('a')],
    ['a promise', Promise.resolve(1)],
    ['one inside another', { a: [new Set()] }],
    ['one that leads to itself', itself],
  ])('cannot have as key %s', async (_, key) => {
    await expect(
      collect(
        range(2)
          .groupBy(() => key)
          .count(),
      ),
    ).rejects.toThrow('cannot be a key');
  });

  it('begin each with an object of their own, or are refused', () => {
    const groups = range(2).groupBy(x => x);
    expect(() => groups.reduce((list, x) => list.concat(x), [] as number[])).toThrow('begin with the same object');
  });

  it('take no async functions, and no promises', async () => {
    expect(() => range(2).groupBy(async x => x)).toThrow('key cannot be async');
    const groups = range(2).groupBy(x => x);
    expect(() => groups.reduce(async sum => sum, Promise.resolve(0))).toThrow('step cannot be async');
    await expect(collect(groups.reduce((): unknown => Promise.resolve(1), 0))).rejects.toThrow('returned a promise');
  });

  it('have sums of numbers alone', async () => {
    const sums = from(['1']).groupBy(x => x);
    await expect(collect(sums.sum(x => x as never))).rejects.toThrow('a sum is of numbers');
  });

  it('keep no more than they may', async () => {
    const one = range(1e6).groupBy(() => 'all');
    await expect(collect(one.collect({ limit: 100_000, name: 'all' }))).rejects.toMatchObject({
      code: 'VENTURI_BUDGET_TOO_SMALL',
      message: expect.stringMatching(/^'all' keeps 1 group of \d+ elements/),
    });
    const each = range(100).groupBy(x => x);
    await expect(collect(each.count({ limit: 1000, name: 'each' }))).rejects.toMatchObject({
      message: expect.stringMatching(/^'each' keeps (\d+) groups of \1 elements/),
    });
    const growing = one.reduce((text, x) => `${text}${x},`, '', { limit: 100_000 });
    await expect(collect(growing)).rejects.toMatchObject({ code: 'VENTURI_BUDGET_TOO_SMALL' });
    const many = range(1e6).groupBy(x => x);
    await expect(collect(many.count(), 2 ** 20)).rejects.toMatchObject({ code: 'VENTURI_BUDGET_TOO_SMALL' });
    expect(await collect(one.count({ limit: 1000 }))).toEqual([{ key: 'all', value: 1e6 }]);
  });

  it('are others where their functions are', () => {
    const grouped = (key: (x: number) => number, of: (x: number) => number) => range(3).groupBy(key).sum(of);
    const first = textOf(
      grouped(
        x => x,
        x => x,
      ),
    );
    expect(
      textOf(
        grouped(
          x => x,
          x => x,
        ),
      ),
    ).toBe(first);
    expect(
      textOf(
        grouped(
          x => x + 1,
          x => x,
        ),
      ),
    ).not.toBe(first);
    expect(
      textOf(
        grouped(
          x => x,
          x => x + 1,
        ),
      ),
    ).not.toBe(first);
  });
});

interface Left {
  readonly id: number | undefined;
  readonly name: string;
}

describe('a join by key', () => {
  const left: Left[] = [
    { id: 2, name: 'b' },
    { id: undefined, name: '?' },
    { id: 1, name: 'a' },
    { id: 9, name: 'z' },
  ];
  const right = [
    { id: 1, size: 10 },
    { id: 2, size: 20 },
    { id: undefined, size: 0 },
    { id: 2, size: 21 },
  ];
  const [b, unknown, a, z] = left;
  const [one, two, , twoAgain] = right;

  it.each([
    [
      'inner',
      [
        [b, two],
        [b, twoAgain],
        [a, one],
      ],
    ],
    [
      'left',
      [
        [b, two],
        [b, twoAgain],
        [unknown, undefined],
        [a, one],
        [z, undefined],
      ],
    ],
    ['semi', [b, a]],
    ['anti', [unknown, z]],
  ] as const)('%s', async (how, expected) => {
    expect(await collect(from(left).join(from(right), 'id', { how: how as 'inner' }))).toEqual(expected);
  });

  it.each([
    ['inner', []],
    ['left', left.map(each => [each, undefined])],
    ['semi', []],
    ['anti', left],
  ] as const)('%s with nothing', async (how, expected) => {
    const none = from<{ id: number }>([]);
    expect(await collect(from(left).join(none, 'id', { how: how as 'inner' }))).toEqual(expected);
    expect(await collect(none.join(from(right), 'id', { how: how as 'inner' }))).toEqual([]);
  });

  it('makes a million pairs of a key that a million share, one at a time', async () => {
    const pairs = range(1).join(range(1e6), { left: () => 'all', right: () => 'all' });
    const sum = pairs.groupBy(([x]) => x).sum(([, y]) => y);
    expect(await collect(sum)).toEqual([{ key: 0, value: (1e6 * (1e6 - 1)) / 2 }]);
    expect(await collect(pairs.take(2))).toEqual([
      [0, 0],
      [0, 1],
    ]);
  });

  it('keeps no more than it may, of the right side alone', async () => {
    const key = { left: (x: number) => x, right: (x: number) => x };
    const large = range(1e6).join(range(1e5), key, { limit: 100_000, name: 'pairs' });
    await expect(collect(large)).rejects.toMatchObject({
      code: 'VENTURI_BUDGET_TOO_SMALL',
      message: expect.stringMatching(/^'pairs' keeps \d+ elements of its right side/),
    });
    expect(await collect(range(1e5).join(range(1), key, { how: 'semi', limit: 1000 }))).toEqual([0]);
  });

  it('does not take a name that an element lacks for a key', async () => {
    const misspelt = 'ids' as unknown as JoinKey<Left, { id: number | undefined }>;
    await expect(collect(from(left).join(from(right), misspelt))).rejects.toThrow("no property 'ids'");
  });

  it('refuses what it cannot join', () => {
    expect(() => from(left).join([] as never, 'id')).toThrow('no pipeline to join with');
    expect(() => from(left).join(from(right), 'id', { how: 'outer' as 'left' })).toThrow("how is 'outer'");
    expect(() => from(left).join(from(right), undefined as never)).toThrow('on is undefined');
    expect(() => from(left).join(from(right), { left: async x => x.id, right: x => x.id })).toThrow('async');
  });
});
