import { describe, expect, test } from 'vitest';
import { Random } from './random.ts';
import { ratioEstimate } from './ratio.ts';

describe('the ratio of two sums', () => {
  test('has no error where every part agrees, however different in size', () => {
    const { estimate, low, high } = ratioEstimate(
      [1, 10, 300].map(x => ({ x, y: 2 * x })),
      0.9,
    );
    expect([estimate, low, high]).toEqual([2, 2, 2]);
  });

  test('has no error once everything was seen', () => {
    expect(
      ratioEstimate(
        [
          { x: 1, y: 1 },
          { x: 1, y: 3 },
        ],
        0.9,
        1,
      ),
    ).toMatchObject({ estimate: 2, low: 2, high: 2 });
  });

  test('is unbounded for one part', () => {
    expect(ratioEstimate([{ x: 2, y: 5 }], 0.9)).toMatchObject({ estimate: 2.5, high: Number.POSITIVE_INFINITY });
  });

  test('covers the truth about as often as it says', () => {
    const random = new Random();
    let covered = 0;
    const rounds = 1000;
    for (let round = 0; round < rounds; round++) {
      random.rekey(11, 0, 0, round, 0);
      const parts = Array.from({ length: 30 }, () => {
        const x = 1 + random.uniform() * 9;
        return { x, y: x * (3 + (random.uniform() - 0.5)) };
      });
      const { low, high } = ratioEstimate(parts, 0.9);
      if (low <= 3 && high >= 3) covered++;
    }
    expect(covered / rounds).toBeGreaterThan(0.87);
    expect(covered / rounds).toBeLessThan(0.93);
  });
});
