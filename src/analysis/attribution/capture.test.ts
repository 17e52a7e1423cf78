import fc from 'fast-check';
import { expect, test } from 'vitest';
import { captureProbability, runsFor, shortestCaptured } from './capture.ts';

test("Lotus's example: 660 µs at 10 ms, three chances of four after about 20 runs", () => {
  expect(captureProbability(0.66, 10, 20)).toBeCloseTo(0.745, 3);
  expect(runsFor(0.66, 10, 0.75)).toBe(21);
});

test('the three agree with each other', () => {
  const part = fc.double({ min: 0.001, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(part, part, (span, probability) => {
      const runs = runsFor(span, 1, probability);
      expect(captureProbability(span, 1, runs)).toBeGreaterThanOrEqual(probability - 1e-9);
      if (runs > 1) expect(captureProbability(span, 1, runs - 1)).toBeLessThan(probability + 1e-9);
      expect(captureProbability(shortestCaptured(1, runs, probability), 1, runs)).toBeCloseTo(probability, 9);
    }),
  );
});

test('what is as long as the interval is captured at once, and what takes no time never', () => {
  expect([runsFor(10, 10, 0.99), captureProbability(20, 10, 1)]).toEqual([1, 1]);
  expect([runsFor(0, 10, 0.5), shortestCaptured(10, 0, 0.5)]).toEqual([
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ]);
});
