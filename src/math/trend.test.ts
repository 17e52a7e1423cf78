import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slopeInterval } from './trend.ts';

test('the slope of a line is found whatever its points are called', () => {
  fc.assert(
    fc.property(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 }), (slope, offset) => {
      const points = Array.from({ length: 10 }, (_, x) => ({ x, y: slope * x + offset }));
      expect(slopeInterval(points, 0.95)).toMatchObject({ estimate: slope, low: slope, high: slope });
    }),
  );
});

test('two points of ten far off hardly move it', () => {
  const points = Array.from({ length: 10 }, (_, x) => ({ x, y: x === 3 || x === 7 ? 1000 : 2 * x }));
  expect(slopeInterval(points, 0.95).estimate).toBeCloseTo(2, 0);
});

test("the interval is Sen's: of eight points at 95 %, the seventh slope from either end", () => {
  // 28 slopes; 1.96 * sqrt(8 * 7 * 21 / 18) = 15.84; (28 - 15.84) / 2 = 6.08.
  const y = [0, 3, 1, 6, 4, 9, 8, 12];
  const slopes = y
    .flatMap((from, at) => y.slice(at + 1).map((to, more) => (to - from) / (more + 1)))
    .sort((a, b) => a - b);
  const { low, high } = slopeInterval(
    y.map((value, x) => ({ x, y: value })),
    0.95,
  );
  expect([low, high]).toEqual([slopes[6], slopes[21]]);
});

test('three points say nothing', () => {
  const points = [0, 1, 2].map(x => ({ x, y: x }));
  expect(slopeInterval(points, 0.95)).toMatchObject({ low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY });
});
