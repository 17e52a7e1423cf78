import { describe, expect, test } from 'vitest';
import { rateBand, rateWithin, timeWithin, within } from './intervals.ts';

const even = { estimate: 41, low: 39, high: 43 };
const open = { estimate: 41, low: 39, high: Number.POSITIVE_INFINITY };

describe('an interval in words', () => {
  test('is the value alone where nothing bounds it', () => {
    expect(within(even)).toBe('41 ± 2');
    expect(within(open)).toBe('41');
  });

  test('of a rate is relative where it is even, and has its ends where it is not', () => {
    expect(rateWithin(even)).toBe('41.0/s ± 4.9 %');
    expect(rateWithin({ ...even, high: 60 })).toBe('41.0/s (39.0/s to 60.0/s)');
    expect(rateWithin(open)).toBe('41.0/s');
  });

  test('of a time is in seconds', () => {
    expect(timeWithin({ estimate: 0.002, low: 0.001, high: 0.003 })).toBe('2 ± 1 ms');
  });

  test('behind a rate is left out where it is narrower than the digits, or open', () => {
    expect(rateBand(even)).toBe(' (39.0/s to 43.0/s)');
    expect([rateBand(open), rateBand({ estimate: 41, low: 41, high: 41.2 })]).toEqual(['', '']);
  });
});
