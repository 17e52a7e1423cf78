import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashText, mixPath, Random } from './random.ts';

type Key = [seed: number, operator: number, epoch: number, sequence: number, sub: number];

function stream(key: Key, length: number): number[] {
  const random = new Random();
  random.rekey(...key);
  return Array.from({ length }, () => random.uniform());
}

/** Pearson's statistic of counts that should all be equal. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((a, b) => a + b) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

/** Far out for chi-square with this many degrees of freedom: mean + 5 standard deviations. */
const unlikely = (degrees: number): number => degrees + 5 * Math.sqrt(2 * degrees);

function correlation(a: readonly number[], b: readonly number[]): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const x = (a[i] ?? 0) - 0.5;
    const y = (b[i] ?? 0) - 0.5;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / Math.sqrt(aa * bb);
}

const key: fc.Arbitrary<Key> = fc.tuple(
  fc.maxSafeInteger(),
  fc.nat(0xffffffff),
  fc.nat(0xffffffff),
  fc.maxSafeNat(),
  fc.nat(0xffffffff),
);

describe('Random', () => {
  it('repeats a key, whatever was drawn from other keys in between', () => {
    fc.assert(
      fc.property(key, key, fc.nat(5), fc.integer({ min: 1, max: 20 }), (wanted, other, before, length) => {
        const random = new Random();
        random.rekey(...other);
        for (let i = 0; i < before; i++) random.normal();
        random.rekey(...wanted);
        expect(Array.from({ length }, () => random.uniform())).toEqual(stream(wanted, length));
      }),
    );
  });

  it('gives each part of the key, and each word of a wide one, its own stream', () => {
    const base: Key = [1, 2, 3, 4, 5];
    const others: Key[] = [
      [2, 2, 3, 4, 5],
      [1 + 2 ** 32, 2, 3, 4, 5],
      [-1, 2, 3, 4, 5],
      [1, 3, 3, 4, 5],
      [1, 0x80000002, 3, 4, 5],
      [1, 2, 4, 4, 5],
      [1, 2, 3, 5, 5],
      [1, 2, 3, 4 + 2 ** 32, 5],
      [1, 2, 3, 4 + 2 ** 40, 5],
      [1, 2, 3, 4, 6],
    ];
    const firsts = [base, ...others].map(each => stream(each, 1)[0]);
    expect(new Set(firsts).size).toBe(firsts.length);
  });

  it('is uniform over long streams and over the first numbers of successive elements', () => {
    const random = new Random();
    const along = new Array<number>(256).fill(0);
    const across = new Array<number>(256).fill(0);
    const count = (buckets: number[], value: number): void => {
      const bucket = Math.floor(value * 256);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    };
    random.rekey(42, 7, 0, 0, 0);
    for (let i = 0; i < 200_000; i++) count(along, random.uniform());
    for (let i = 0; i < 200_000; i++) {
      random.rekey(42, 7, 0, i, 0);
      count(across, random.uniform());
    }
    expect(chiSquare(along)).toBeLessThan(unlikely(255));
    expect(chiSquare(across)).toBeLessThan(unlikely(255));
  });

  it('shows no correlation between neighbouring keys', () => {
    const length = 50_000;
    const base = stream([42, 7, 1, 1000, 3], length);
    const neighbours: Key[] = [
      [43, 7, 1, 1000, 3],
      [42, 8, 1, 1000, 3],
      [42, 7, 2, 1000, 3],
      [42, 7, 1, 1001, 3],
      [42, 7, 1, 1000, 4],
    ];
    for (const neighbour of neighbours) {
      expect(Math.abs(correlation(base, stream(neighbour, length)))).toBeLessThan(5 / Math.sqrt(length));
    }
    // And along the elements, where each is asked for one number.
    const random = new Random();
    const firsts = Array.from({ length }, (_, sequence) => {
      random.rekey(42, 7, 0, sequence, 0);
      return random.uniform();
    });
    expect(Math.abs(correlation(firsts.slice(1), firsts.slice(0, -1)))).toBeLessThan(5 / Math.sqrt(length));
  });

  it('draws whole numbers without bias, in range, at every width', () => {
    const random = new Random();
    random.rekey(1, 2, 3, 4, 5);
    const counts = new Array<number>(7).fill(0);
    for (let i = 0; i < 70_000; i++) {
      const value = random.int(7);
      counts[value] = (counts[value] ?? 0) + 1;
    }
    expect(chiSquare(counts)).toBeLessThan(unlikely(6));

    // A plain remainder of 32 bits would fall into the lowest third of this range every second time.
    const below = 3 * 2 ** 30;
    let low = 0;
    for (let i = 0; i < 20_000; i++) if (random.int(below) < 2 ** 30) low++;
    expect(Math.abs(low / 20_000 - 1 / 3)).toBeLessThan(0.02);

    fc.assert(
      fc.property(key, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (where, limit) => {
        random.rekey(...where);
        const value = random.int(limit);
        expect(Number.isInteger(value) && value >= 0 && value < limit).toBe(true);
      }),
    );
    expect(random.int(1)).toBe(0);
    for (const bad of [0, -1, 1.5, Number.NaN, 2 ** 53]) expect(() => random.int(bad)).toThrow(RangeError);
  });

  it('stays below the upper end of between', () => {
    fc.assert(
      fc.property(
        key,
        fc.double({ min: -1e9, max: 1e9, noNaN: true }),
        fc.double({ min: 1e-12, max: 1e9, noNaN: true }),
        (where, low, width) => {
          fc.pre(low + width > low);
          const random = new Random();
          random.rekey(...where);
          const value = random.between(low, low + width);
          expect(value >= low && value < low + width).toBe(true);
        },
      ),
    );
  });

  it('gives chances and normal numbers their distribution', () => {
    const random = new Random();
    random.rekey(3, 0, 0, 0, 0);
    let hits = 0;
    for (let i = 0; i < 20_000; i++) if (random.chance(0.3)) hits++;
    expect(Math.abs(hits / 20_000 - 0.3)).toBeLessThan(0.02);
    expect(random.chance(0)).toBe(false);
    expect(random.chance(1)).toBe(true);

    const normals = Array.from({ length: 50_000 }, () => random.normal());
    const moment = (power: number): number => normals.reduce((sum, x) => sum + x ** power, 0) / normals.length;
    expect(Math.abs(moment(1))).toBeLessThan(0.03);
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.04);
    expect(Math.abs(moment(3))).toBeLessThan(0.1);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.3);
  });

  it('counts what was drawn, over all keys', () => {
    const random = new Random();
    expect(random.draws).toBe(0);
    random.rekey(1, 1, 1, 1, 0);
    expect(random.draws).toBe(0);
    random.uniform();
    random.normal();
    random.rekey(1, 1, 1, 2, 0);
    random.int(2 ** 32);
    expect(random.draws).toBe(4);
  });
});

describe('hashText', () => {
  it('tells ids apart and is an unsigned word', () => {
    const ids = ['', 'a', 'b', 'ab', 'ba', 'range/map', 'range/map/filter', 'décode'];
    const hashes = ids.map(hashText);
    expect(new Set(hashes).size).toBe(ids.length);
    for (const hash of hashes) expect(hash).toBe(hash >>> 0);
    // Recorded runs are repeated by their operators' ids: the hash must stay what it is.
    expect(hashText('range/map')).toBe(56664196);
  });
});

describe('mixPath', () => {
  it('is never 0 and tells paths apart', () => {
    const seen = new Set<number>();
    for (let i = 0; i < 200; i++) {
      const first = mixPath(0, i);
      seen.add(first);
      for (let j = 0; j < 50; j++) seen.add(mixPath(first, j));
    }
    expect(seen.has(0)).toBe(false);
    expect(seen.size).toBe(200 * 51);
    fc.assert(fc.property(fc.nat(0xffffffff), fc.nat(0xffffffff), (sub, index) => mixPath(sub, index) !== 0));
  });
});
