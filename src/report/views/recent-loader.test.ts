import { expect, test } from 'vitest';
import { recentLoaderLine } from './recent-loader.ts';

test('tells what a loader does now in a line', () => {
  const recent = {
    loader: 'train',
    batches: 1234,
    batchesPerSecond: 12.3,
    waitShare: 0.31,
    bound: 'preparation',
  } as const;
  expect(recentLoaderLine(recent)).toBe('train  1.23 k batches  12.3/s  waits 31 %  limit: preparation');
});
