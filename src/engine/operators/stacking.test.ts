import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VenturiError } from '../../model/errors.ts';
import { type Lender, Stacking } from './stacking.ts';

/** One piece of memory, lent over and over, as a slot is. */
function lending(bytes: number) {
  const memory = new Uint8Array(new SharedArrayBuffer(bytes));
  const vacates: (() => boolean)[] = [];
  const lender: Lender = {
    lend: (wanted, vacate) => {
      if (wanted > bytes) return undefined;
      vacates.push(vacate);
      return memory.subarray(0, wanted);
    },
  };
  return { memory, lender, vacate: () => vacates.at(-1)?.() };
}

/** All batches of elements; each is copied before the next is made. */
function batches(stacking: Stacking, elements: readonly unknown[]): unknown[] {
  const made = elements.map(element => unshared(stacking.add(element)));
  return [...made, unshared(stacking.rest())].filter(batch => batch !== undefined);
}

describe('elements that are stacked', () => {
  const pixels = (x: number) => ({ width: 2, height: 1, channels: 3, data: Uint8Array.of(x, x, x, x, x, x) });

  it.each<[string, (x: number) => unknown, (xs: readonly number[]) => unknown]>([
    [
      'typed arrays',
      x => Int16Array.of(x, -x),
      xs =>
        tensor(
          Int16Array,
          [xs.length, 2],
          xs.flatMap(x => [x, -x]),
        ),
    ],
    ['Buffers', x => Buffer.from([x]), xs => tensor(Uint8Array, [xs.length, 1], xs)],
    [
      'tensors',
      x => ({ data: Float64Array.of(x, 1, 2, 3), shape: [2, 2] }),
      xs =>
        tensor(
          Float64Array,
          [xs.length, 2, 2],
          xs.flatMap(x => [x, 1, 2, 3]),
        ),
    ],
    [
      'images',
      pixels,
      xs =>
        tensor(
          Uint8Array,
          [xs.length, 1, 2, 3],
          xs.flatMap(x => [x, x, x, x, x, x]),
        ),
    ],
    [
      'numbers',
      x => x / 2,
      xs =>
        tensor(
          Float64Array,
          [xs.length],
          xs.map(x => x / 2),
        ),
    ],
    ['bigints', x => BigInt(x), xs => ({ data: BigInt64Array.from(xs, x => BigInt(x)), shape: [xs.length] })],
    ['what holds no numbers', x => `${x}`, xs => xs.map(x => `${x}`)],
    [
      'objects and arrays of these',
      x => ({ image: Float32Array.of(x), seen: [x, { name: `${x}`, at: undefined }], no: null }),
      xs => ({
        image: tensor(Float32Array, [xs.length, 1], xs),
        seen: [tensor(Float64Array, [xs.length], xs), { name: xs.map(x => `${x}`), at: xs.map(() => undefined) }],
        no: xs.map(() => null),
      }),
    ],
    ['arrays without numbers', () => new Float32Array(0), xs => tensor(Float32Array, [xs.length, 0], [])],
  ])('have one dimension more: %s', (_, element, batch) => {
    for (const [lender, size] of [
      [undefined, 3],
      [lending(4096).lender, 3],
      [lending(8).lender, 2],
    ] as const) {
      const stacking = new Stacking(size, lender);
      const expected = [0, 1, 2].flatMap(k => {
        const xs = [0, 1, 2, 3, 4].slice(k * size, (k + 1) * size);
        return xs.length === 0 ? [] : [batch(xs)];
      });
      expect(batches(stacking, [0, 1, 2, 3, 4].map(element))).toEqual(expected);
      expect(stacking.rest()).toBeUndefined();
    }
  });

  it.each<[string, unknown[]]>([
    ['holes', Array(2)],
    ['more than items', /(?<letter>b)/.exec('abc') ?? []],
  ])('refuses arrays with %s, which would move to other places', (_, element) => {
    expect(() => new Stacking(2, undefined).add({ element })).toThrow(/its 'element' is an array with holes/);
  });

  it('may be another from batch to batch, not within one', () => {
    const stacking = new Stacking(2, undefined);
    expect(batches(stacking, [1, 2, 'a', 'b', [3]])).toEqual([
      tensor(Float64Array, [2], [1, 2]),
      ['a', 'b'],
      [tensor(Float64Array, [1], [3])],
    ]);
  });

  it.each<[unknown, unknown, string]>([
    [Float32Array.of(1), Float32Array.of(1, 2), 'it is a Float32Array of shape [2], where'],
    [{ a: { b: 1 } }, { a: { b: 'x' } }, "its 'a.b' is a string, where other elements of its batch have a number"],
    [{ a: [1, 2] }, { a: [1, 2n] }, "its 'a[1]' is a bigint"],
    [{ a: 1 }, { b: 1 }, 'it is an object with b, where other elements of its batch have an object with a'],
    [{ a: 1 }, { a: 1, b: 1 }, 'an object with a, b'],
    [new Uint8Array(1), new Int8Array(1), 'a Int8Array of shape [1]'],
    [undefined, { a: new Map() }, "its 'a' is an instance of Map"],
    [undefined, { data: new Uint8Array(5), shape: [2, 2] }, 'a Uint8Array of 5 with a shape of other numbers'],
    [undefined, () => 1, 'it is a function'],
    [undefined, new Array(100).fill(1), '100 items, each of which would become an array'],
    [undefined, 2n ** 64n, '18446744073709551616 does not fit into 64 bits'],
  ])('are refused where they are not alike: %o, %o', (first, second, words) => {
    const stacking = new Stacking(3, undefined);
    if (first !== undefined) stacking.add(first);
    const error = thrown(() => stacking.add(second));
    expect(error).toBeInstanceOf(VenturiError);
    expect(error).toMatchObject({ code: 'VENTURI_BAD_RECORD', message: expect.stringContaining(words) });
    // What was there before is as it was.
    if (first !== undefined) expect(stacking.held()).toEqual([first]);
  });

  it('are given back as they came where a run is saved', () => {
    const elements = [1, 2].map(x => ({ a: Float32Array.of(x, 1), b: pixels(x), c: [x, BigInt(x), { d: 'e' }] }));
    const stacking = new Stacking(5, lending(4096).lender);
    for (const element of elements) stacking.add(element);
    expect(stacking.held()).toEqual(elements);
  });
});

describe('places that functions write into', () => {
  it('are those of the batch from the second element on, and in all batches behind', () => {
    const { memory, lender } = lending(4096);
    const stacking = new Stacking(2, lender);
    for (let x = 0; x < 6; x++) {
      const place = stacking.place(Float32Array, 3);
      expect(place === undefined).toBe(x === 0);
      expect(place?.buffer).toBe(x === 0 ? undefined : memory.buffer);
      const data = (place ?? new Float32Array(3)).fill(x);
      const batch = stacking.add(data);
      if (x % 2 === 1) expect(batch).toEqual(tensor(Float32Array, [2, 3], [x - 1, x - 1, x - 1, x, x, x]));
    }
  });

  /** What a function does with the places it asked for: in which field it puts each, and what else it leaves there. */
  const uses = fc.array(
    fc.record({
      asks: fc.array(fc.constantFrom(2, 3), { maxLength: 4 }),
      takes: fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4)),
      again: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  );

  it('give the batches that arrays of its own would, wherever a function puts them', () => {
    fc.assert(
      fc.property(uses, fc.integer({ min: 1, max: 4 }), fc.constantFrom(undefined, 64, 4096), (calls, size, bytes) => {
        const { lender, vacate } = lending(bytes ?? 0);
        const stacking = new Stacking(size, bytes === undefined ? undefined : lender);
        const plain = new Stacking(size, undefined);
        let next = 0;
        for (const { asks, takes, again } of calls) {
          if (again) stacking.again();
          const places = asks.map(length => stacking.place(Int32Array, length) ?? new Int32Array(length));
          for (const place of places) for (let i = 0; i < place.length; i++) place[i] = next++;
          const field = (length: number, which: number): Int32Array => {
            const fitting = places.filter(place => place.length === length);
            return fitting[which] ?? new Int32Array(length).fill(next++);
          };
          const element = { a: field(2, takes[0]), b: field(2, takes[1]), c: field(3, takes[2]) };
          const copy = structuredClone({ a: [...element.a], b: [...element.b], c: [...element.c] });
          const made = stacking.add(element);
          const wanted = plain.add({
            a: Int32Array.from(copy.a),
            b: Int32Array.from(copy.b),
            c: Int32Array.from(copy.c),
          });
          expect(made).toEqual(wanted);
          if (again) vacate();
        }
        expect(stacking.rest()).toEqual(plain.rest());
      }),
      { numRuns: 300 },
    );
  });
});

/** With memory of its own: what is shared would be so for its copy. */
function unshared(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return (value as Uint8Array).slice();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(unshared);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unshared(item)]));
}

const tensor = (type: { from(xs: readonly number[]): unknown }, shape: readonly number[], xs: readonly number[]) => ({
  data: type.from(xs),
  shape,
});

function thrown(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
