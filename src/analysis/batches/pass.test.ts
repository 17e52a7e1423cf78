import { expect, test } from 'vitest';
import { type Batch, newBatch } from './batch.ts';
import { outOfOrderIn } from './pass.ts';

const arriving = (number: number, arrived: number, pinStart = Number.NaN): Batch => ({
  ...newBatch('loader', 1, number),
  arrived,
  pinStart,
});

test('batches are out of order that arrive before one that was ordered earlier', () => {
  const inOrder = [arriving(0, 1), arriving(1, 2), arriving(2, 3)];
  expect(outOfOrderIn(inOrder)).toEqual([]);
  // 2 and 3 overtake 1; 4 comes after all, and of 5 no arrival was recorded.
  const mixed = [
    arriving(0, 1),
    arriving(1, 9),
    arriving(2, 3),
    arriving(3, 4),
    arriving(4, 10),
    arriving(5, Number.NaN),
  ];
  expect(
    outOfOrderIn(mixed)
      .map(({ number }) => number)
      .sort(),
  ).toEqual([2, 3]);
  // Where a thread pins them, they have arrived when it takes them up.
  expect(outOfOrderIn([arriving(0, 1, 8), arriving(1, 2, 7)]).map(({ number }) => number)).toEqual([1]);
});
