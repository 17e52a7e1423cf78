import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  batchCount,
  byteRate,
  byteSize,
  coreCount,
  count,
  decimal,
  interval,
  percent,
  plural,
  precisePercent,
  preciseTime,
  quantity,
  rate,
  time,
  timeInterval,
} from './format.ts';

const cases = <T>(write: (value: T) => string, table: readonly (readonly [T, string])[]): void => {
  test.each(table)('%s → %s', (value, shown) => {
    expect(write(value)).toBe(shown);
  });
};

describe('counts', () =>
  cases(count, [
    [0, '0'],
    [200, '200'],
    [999, '999'],
    [1000, '1.00 k'],
    [12_345, '12.3 k'],
    [999_499, '999 k'],
    [999_999, '1.00 M'],
    [2.5e9, '2.50 G'],
    [Number.NaN, '–'],
  ]));

test('nouns follow their number', () => {
  expect([1, 2, 12_345].map(batchCount)).toEqual(['1 batch', '2 batches', '12.3 k batches']);
  expect([1, 3].map(n => plural(n, 'worker'))).toEqual(['1 worker', '3 workers']);
  expect([0, 1].map(n => plural(n, 'epoch'))).toEqual(['0 epochs', '1 epoch']);
  expect([1, 1.5, 4].map(coreCount)).toEqual(['1 core', '1.5 cores', '4 cores']);
});

describe('rates', () =>
  cases(rate, [
    [0, '0/s'],
    [0.25, '0.25/s'],
    [62.5, '62.5/s'],
    [212, '212/s'],
    [1_240_000, '1.24 M/s'],
    [999.9, '1.00 k/s'],
  ]));

describe('bytes', () => {
  cases(byteSize, [
    [0, '0 B'],
    [812, '812 B'],
    [64e6, '64.0 MB'],
    [1.5e9, '1.50 GB'],
  ]);
  test('per second', () => expect(byteRate(12_400_000)).toBe('12.4 MB/s'));
});

describe('times', () => {
  cases(time, [
    [0, '0 s'],
    [12, '12 ns'],
    [812_000, '812 µs'],
    [1_500_000, '1.5 ms'],
    [999_700_000, '1.0 s'],
    [3.2e9, '3.2 s'],
    [42e9, '42 s'],
    [59.97e9, '1 min 00 s'],
    [64e9, '1 min 04 s'],
    [3599.7e9, '1 h 00 min'],
    [3840e9, '1 h 04 min'],
    [27 * 3600e9, '1 d 03 h'],
    [-1, '–'],
  ]);
  test('with three digits', () => expect(preciseTime(3.214e9)).toBe('3.21 s'));
});

describe('shares', () => {
  cases(percent, [
    [0, '0 %'],
    [0.0001, '<0.1 %'],
    [0.042, '4.2 %'],
    [0.0999, '10 %'],
    [0.71, '71 %'],
    [1, '100 %'],
  ]);
  test('in a column', () => expect([0, 0.0001, 0.71].map(precisePercent)).toEqual(['0.0 %', '<0.1 %', '71.0 %']));
});

describe('decimals', () =>
  cases(decimal, [
    [2, '2'],
    [1.94, '1.9'],
    [0.03, '0.03'],
    [0.001, '<0.01'],
  ]));

describe('intervals', () => {
  test('show as many digits as their error allows', () => {
    expect(interval(1.9123, 1.8, 2.0246)).toBe('1.9 ± 0.1');
    expect(interval(1234, 1034, 1434)).toBe('1234 ± 200');
    expect(interval(0.0512, 0.0492, 0.0532)).toBe('0.051 ± 0.002');
  });
  test('without width are a plain value', () => expect(interval(1.9, 1.9, 1.9)).toBe('1.90'));
  test('that are lopsided are spelled out', () => {
    expect(interval(0.2, 0, 0.9)).toBe('0.2 (0.0 to 0.9)');
    expect(timeInterval(2e8, 0, 9e8)).toBe('200 ms (0 to 900)');
  });
  test('of a time use one unit', () => {
    expect(timeInterval(1.9e9, 1.8e9, 2.0e9)).toBe('1.9 ± 0.1 s');
    expect(timeInterval(1.9e6, 1.9e6, 1.9e6)).toBe('1.90 ms');
    expect(timeInterval(0, 0, 21_309_797)).toBe('0 ms (0 to 21)');
  });
});

test('no figure is wide or exponential, whatever the value', () => {
  const writers = [count, rate, byteSize, time, preciseTime];
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e20, noNaN: true }), value => {
      for (const write of writers) expect(write(value)).toMatch(/^(–|[\d.]{1,8}[ \w/µ]{0,12})$/);
    }),
  );
});

test('small figures are not rounded to nothing', () => {
  expect([0.0031, 0.0099, 0.00996, 0.03, 1e-4, 1e-15, -0.0031].map(quantity)).toEqual([
    '0.0031',
    '0.0099',
    '0.01',
    '0.03',
    '0.00010',
    '0.00',
    '-0.0031',
  ]);
});
