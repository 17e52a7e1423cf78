import { expect, test } from 'vitest';
import { quotient } from './repeated.ts';

const within = (estimate: number, error: number) => ({
  estimate,
  low: estimate / (1 + error),
  high: estimate * (1 + error),
  confidence: 0.9,
});

test('the quotient of two sure numbers is sure', () => {
  expect(quotient(within(6, 0), within(3, 0))).toMatchObject({ estimate: 2, low: 2, high: 2 });
});

test('two independent errors add as squares, not in a row', () => {
  const { low, high } = quotient(within(6, 0.03), within(3, 0.04));
  expect(high / 2).toBeCloseTo(1.05, 2);
  expect(2 / low).toBeCloseTo(1.05, 2);
});

test('what is unbounded stays so', () => {
  const open = { estimate: 1, low: 0, high: Number.POSITIVE_INFINITY, confidence: 0.9 };
  expect(quotient(within(6, 0.1), open)).toMatchObject({ low: 0, high: Number.POSITIVE_INFINITY });
});
