import { describe, expect, it } from 'vitest';
import { define } from '../api/define.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { from } from '../sources/iterable.ts';
import { range } from '../sources/range.ts';

async function collect<T>(pipeline: Pipeline<T>, chunkElements?: number): Promise<T[]> {
  const definition = define({ url: import.meta.url }, { spec: {}, build: () => pipeline });
  const elements: T[] = [];
  const chunk = chunkElements === undefined ? {} : { chunkElements };
  for await (const element of definition.run({ parallelism: 0, ...chunk })) elements.push(element);
  return elements;
}

describe('unbatch', () => {
  it('gives the items back one by one', async () => {
    expect(await collect(range(7).batch(3).unbatch())).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('stops within a batch where enough was taken', async () => {
    expect(await collect(range(9).batch(4).unbatch().take(5))).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('window', () => {
  it.each([
    [
      3,
      1,
      [
        [0, 1, 2],
        [1, 2, 3],
        [2, 3, 4],
        [3, 4, 5],
      ],
    ],
    [
      3,
      2,
      [
        [0, 1, 2],
        [2, 3, 4],
      ],
    ],
    [
      2,
      3,
      [
        [0, 1],
        [3, 4],
      ],
    ],
    [7, 1, []],
  ])('of %i by steps of %i', async (size, stride, expected) => {
    for (const chunk of [1, 4]) expect(await collect(range(6).window(size, { stride }), chunk)).toEqual(expected);
  });

  it('does not reach over the end of a pass', async () => {
    expect(await collect(range(3).window(2).repeat(2))).toEqual([
      [0, 1],
      [1, 2],
      [0, 1],
      [1, 2],
    ]);
  });

  it('knows the number of its first element', async () => {
    const numbers = range(5)
      .window(2, { stride: 2 })
      .map((_, { index }) => index);
    expect(await collect(numbers)).toEqual([0, 2]);
  });
});

describe('shard', () => {
  it('divides elements among processes, none twice and none lost', async () => {
    const shares = await Promise.all([0, 1, 2].map(index => collect(range(10).shard(3, index))));
    expect(shares).toEqual([
      [0, 3, 6, 9],
      [1, 4, 7],
      [2, 5, 8],
    ]);
  });

  it('starts over with every pass', async () => {
    expect(await collect(range(4).shard(3, 0).repeat(2))).toEqual([0, 3, 0, 3]);
  });

  it('refuses a share that does not exist', () => {
    expect(() => range(3).shard(2, 2)).toThrow(/no share 2 of 2/);
  });
});

describe('paddedBatch', () => {
  it('brings rows to the longest of their batch', async () => {
    const batches = await collect(from([[1], [2, 3], [4, 5, 6]]).paddedBatch(2, { pad: -1 }));
    expect(batches).toEqual([
      { data: Int32Array.of(1, -1, 2, 3), rows: 2, columns: 2, lengths: Int32Array.of(1, 2) },
      { data: Int32Array.of(4, 5, 6), rows: 1, columns: 3, lengths: Int32Array.of(3) },
    ]);
  });

  it('keeps the kind of typed rows, and takes fractions in arrays for what they are', async () => {
    const [typed] = await collect(from([Float32Array.of(1, 2), Float32Array.of(3)]).paddedBatch(2));
    expect(typed?.data).toEqual(Float32Array.of(1, 2, 3, 0));
    const [fractions] = await collect(from([[1], [0.5]]).paddedBatch(2));
    expect(fractions?.data).toEqual(Float64Array.of(1, 0.5));
  });

  it('pads to a fixed width, and says where a row does not fit', async () => {
    const [wide] = await collect(from([[1]]).paddedBatch(1, { columns: 3 }));
    expect(wide).toMatchObject({ columns: 3, data: Int32Array.of(1, 0, 0) });
    await expect(collect(from([[1, 2]]).paddedBatch(1, { columns: 1 }))).rejects.toMatchObject({
      code: 'VENTURI_BAD_RECORD',
    });
  });

  const odd = (rows: readonly unknown[], options?: { pad: number }) =>
    collect((from(rows) as unknown as Pipeline<number[]>).paddedBatch(4, options));

  it.each<[string, unknown[], string]>([
    ['objects', [{ tokens: [1] }], 'an object with tokens'],
    ['numbers', [1, 2], 'a number'],
    ['nothing', [[1], null], 'null'],
    ['texts', ['12', '3'], 'a string'],
    ['tensors', [{ data: Float32Array.of(1, 2), shape: [2, 1] }], 'Float32Array of shape [2, 1]'],
    ['rows of rows', [[[1, 2], [3]]], "'[0]'"],
    ['items that are none', [[1, undefined]], "'[1]' is undefined"],
    ['holes', [Array(2)], "'[0]' is undefined"],
    ['bigints', [[1n]], 'a bigint'],
    ['arrays of bigints', [BigInt64Array.of(1n)], 'BigInt64Array'],
    ['arrays of several types', [Uint8Array.of(1), Float32Array.of(1.5)], 'Float32Array'],
    ['numbers that the others have no room for', [[300], Uint8Array.of(1)], '300'],
  ])('refuses %s in the place of rows of numbers', async (_, rows, what) => {
    await expect(odd(rows)).rejects.toMatchObject({
      code: 'VENTURI_BAD_RECORD',
      message: expect.stringContaining(what),
      remedy: expect.stringContaining('typed arrays of one type'),
    });
  });

  it('takes the type of its typed rows, wherever they stand', async () => {
    for (const rows of [
      [[], Float32Array.of(1, 2)],
      [Float32Array.of(1, 2), []],
      [[0.5], Float32Array.of(3)],
    ]) {
      const [batch] = await odd(rows);
      expect(batch?.data).toBeInstanceOf(Float32Array);
    }
    const [bytes] = await odd([[7, 255], Uint8Array.of(1)]);
    expect(bytes?.data).toEqual(Uint8Array.of(7, 255, 1, 0));
  });

  it('refuses padding that its rows have no room for', async () => {
    const bad = { code: 'VENTURI_BAD_RECORD', message: expect.stringContaining('-1') };
    await expect(odd([Uint8Array.of(1), Uint8Array.of(1, 2)], { pad: -1 })).rejects.toMatchObject(bad);
    expect(await odd([Uint8Array.of(1)], { pad: 255 })).toMatchObject([{ data: Uint8Array.of(1) }]);
  });
});

describe('groupByLength', () => {
  const words = ['a', 'bb', 'cccc', 'd', 'eeeeee', 'ff', 'gggg', 'h'];
  const grouped = (pipeline: Pipeline<string>): Pipeline<string[]> =>
    pipeline.groupByLength(2, [2, 5], word => word.length);

  it('batches what is about as long, and gives the rest at the end, the shortest first', async () => {
    const expected = [['bb', 'cccc'], ['a', 'd'], ['ff', 'gggg'], ['h'], ['eeeeee']];
    for (const chunk of [1, 3]) expect(await collect(grouped(from(words)), chunk)).toEqual(expected);
  });

  it('keeps passes apart', async () => {
    expect(await collect(grouped(from(['a', 'bb'])).repeat(2))).toEqual([['a'], ['bb'], ['a'], ['bb']]);
  });

  it('refuses boundaries that do not ascend', () => {
    expect(() => from(words).groupByLength(2, [5, 5], word => word.length)).toThrow(/do not ascend/);
  });
});

describe('a length that is none', () => {
  it.each([
    ['a promise', async () => 3, /returned a promise/],
    ['not a number', () => Number.NaN, /must be a number from 0 up/],
  ])('because it is %s fails the run', async (_, length, message) => {
    const grouped = from(['a']).groupByLength(2, [4], length as () => number);
    await expect(collect(grouped)).rejects.toThrow(message);
  });
});
