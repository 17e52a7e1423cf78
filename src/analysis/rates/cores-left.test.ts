import { expect, test } from 'vitest';
import { HOST } from '../records.fixture.ts';
import { coresLeft } from './cores-left.ts';

test.each([
  ['all of them where others use next to nothing', {}, 1, 0.3, 4],
  ['what others do not use', {}, 1, 2.5, 1.5],
  ['no less than it had', {}, 2, 3.5, 2],
  ['no less than one thread more would get', {}, 0.06, 4, 0.8],
  ['no more than it may use, beside a limit of its own', { coresUsable: 2, coresPresent: 8 }, 1, 5, 2],
  ['what a full machine leaves of what it may use', { coresUsable: 2, coresPresent: 8 }, 0.5, 7, 1],
  ['all of them where nobody knows', {}, 1, undefined, 4],
])('cores that are left: %s', (_, host, busy, others, expected) => {
  expect(coresLeft({ ...HOST, ...host }, busy, others)).toBe(expected);
});
