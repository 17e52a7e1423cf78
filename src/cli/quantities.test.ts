import { describe, expect, test } from 'vitest';
import { VenturiError } from '../model/errors.ts';
import { parseBandwidth, parseDuration, parseSize, parseWhole } from './quantities.ts';

const failure = (act: () => unknown): VenturiError => {
  try {
    act();
  } catch (error) {
    if (error instanceof VenturiError) return error;
  }
  throw new Error('no VenturiError was thrown');
};

describe('lengths of time', () => {
  test.each([
    ['10s', 10],
    ['500ms', 0.5],
    ['40us', 4e-5],
    ['40µs', 4e-5],
    ['900ns', 9e-7],
    ['2m', 120],
    ['2min', 120],
    ['1h', 3600],
    ['1.5 s', 1.5],
  ])('%s', (text, seconds) => {
    expect(parseDuration('--for', text)).toBeCloseTo(seconds, 9);
  });

  test.each(['10', 's', '-1s', '0s', '10 parsecs', '', '1e3s', '10s5'])('refuses %j and says what it takes', text => {
    const error = failure(() => parseDuration('--for', text));
    expect(error).toMatchObject({ code: 'VENTURI_USAGE', message: `--for: '${text}' is not a length of time.` });
    expect(error.remedy).toContain('500ms, 10s, 2m');
  });
});

describe('sizes', () => {
  test.each([
    ['64MB', 64e6],
    ['2GiB', 2 * 2 ** 30],
    ['512 kb', 512e3],
    ['1.5KiB', 1536],
    ['7B', 7],
    ['4.1GB', 4.1e9],
    ['0.1B', 1],
  ])('%s', (text, bytes) => {
    expect(parseSize('--memory', text)).toBe(bytes);
  });

  test.each(['64', 'MB', '64Mbit', '0MB', '-1MB'])('refuses %j and says what it takes', text => {
    expect(failure(() => parseSize('--memory', text)).remedy).toContain('64MB, 2GiB');
  });
});

describe('bandwidths', () => {
  test.each([
    ['500MB/s', 5e8],
    ['10Gbit', 1.25e9],
    ['100 Mbit/s', 1.25e7],
  ])('%s', (text, bytesPerSecond) => {
    expect(parseBandwidth('--bandwidth', text)).toBe(bytesPerSecond);
  });

  test.each(['10', '0Gbit', '10Gbps'])('refuses %j and says what it takes', text => {
    expect(failure(() => parseBandwidth('--bandwidth', text)).remedy).toContain('10Gbit/s');
  });
});

describe('whole numbers', () => {
  test('from a least one up', () => {
    expect(parseWhole('--epochs', '3', 1)).toBe(3);
    expect(parseWhole('--seed', '0', 0)).toBe(0);
  });

  test.each(['0', '1.5', '-2', 'three', '', '99999999999999999999'])('refuses %j', text => {
    expect(failure(() => parseWhole('--epochs', text, 1)).code).toBe('VENTURI_USAGE');
  });
});
