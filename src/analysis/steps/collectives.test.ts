import { expect, it } from 'vitest';
import { bytes, ns } from '../../model/units.ts';
import { parallelismOf } from './collectives.ts';

const row = (name: string, size?: number): Parameters<typeof parallelismOf>[0][number] => ({
  name,
  groupSize: 2,
  perStep: 1,
  bytesPerStep: size === undefined ? undefined : bytes(size),
  timePerStep: ns(1),
});

it('collectives of few bytes beside all-reduces, as of a metric, divide no model', () => {
  expect(parallelismOf([row('all_reduce', 1e6), row('send', 16), row('all_to_all', 8)])).toBe('data');
  expect(parallelismOf([row('all_reduce', 1e6), row('send', 1e6)])).toBe('pipeline');
  expect(parallelismOf([row('all_reduce', 1e6), row('send')])).toBe('pipeline');
  expect(parallelismOf([row('send', 16)])).toBe('pipeline');
  expect(parallelismOf([])).toBeUndefined();
});
