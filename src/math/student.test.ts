import { expect, test } from 'vitest';
import { Random } from './random.ts';
import { mean } from './statistics.ts';
import { normalQuantile, predictionHalfWidth, studentQuantile } from './student.ts';

test('quantiles of the normal distribution stand as in the tables', () => {
  expect(normalQuantile(0.5)).toBeCloseTo(0, 9);
  expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 6);
  expect(normalQuantile(0.05)).toBeCloseTo(-1.644854, 6);
  expect(normalQuantile(0.999)).toBeCloseTo(3.090232, 6);
});

test.each([
  [0.95, 1, 6.3138],
  [0.975, 2, 4.3027],
  [0.95, 3, 2.3534],
  [0.975, 5, 2.5706],
  [0.95, 9, 1.8331],
  [0.995, 10, 3.1693],
  [0.975, 30, 2.0423],
  [0.95, 1000, 1.6464],
])("Student's t at %f with %i degrees of freedom", (p, degrees, expected) => {
  expect(studentQuantile(p, degrees)).toBeCloseTo(expected, 3);
  expect(studentQuantile(1 - p, degrees)).toBeCloseTo(-expected, 3);
});

test('one more value lies within the prediction interval as often as it is to', () => {
  // Of 1, 2, 3: t with two degrees of freedom, a deviation of 1, and √(1 + 1/3).
  expect(predictionHalfWidth([1, 2, 3], 0.95)).toBeCloseTo(4.3027 * Math.sqrt(4 / 3), 3);
  expect(predictionHalfWidth([1], 0.9)).toBeNaN();
  const random = new Random();
  random.rekey(7, 0, 0, 0, 0);
  const draw = (): number => normalQuantile((random.int(1e6) + 0.5) / 1e6);
  const rounds = 4000;
  let held = 0;
  for (let round = 0; round < rounds; round++) {
    const values = Array.from({ length: 6 }, draw);
    if (Math.abs(draw() - mean(values)) <= predictionHalfWidth(values, 0.9)) held++;
  }
  expect(held / rounds).toBeGreaterThan(0.88);
  expect(held / rounds).toBeLessThan(0.92);
});
