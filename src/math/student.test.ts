import { expect, test } from 'vitest';
import { normalQuantile, studentQuantile } from './student.ts';

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
