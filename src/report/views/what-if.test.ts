import { expect, test } from 'vitest';
import { bytes, cores, ns } from '../../model/units.ts';
import { whatIfWords } from './what-if.ts';

test('what was asked for, a part of a core included', () => {
  expect(whatIfWords({ cores: cores(1.5), memory: bytes(64e9), step: ns(30e6), epochs: 1 })).toBe(
    '1.5 cores, 64.0 GB of memory, a consumer step of 30 ms, 1 epoch',
  );
});

test('nothing where all is as recorded', () => {
  expect(whatIfWords({})).toBe('');
});
