import { expect, test } from 'vitest';
import { FakeContext } from './fake-context.fixture.ts';
import { LiveLoader } from './live-loader.ts';

const recent = {
  loader: 'train',
  batches: 1234,
  batchesPerSecond: 12.3,
  waitShare: 0.31,
  bound: 'preparation',
} as const;
const LINE = 'venturi: train  1.23 k batches  12.3/s  waits 31 %  limit: preparation';

test('without a terminal it is one line every ten seconds', () => {
  const context = new FakeContext();
  const live = new LiveLoader(context);
  for (context.moment = 0; context.moment <= 25_000; context.moment += 500) live.update(recent);
  live.close();
  expect(context.stderr).toBe(`${LINE}\n${LINE}\n`);
  expect(context.stdout).toBe('');
});

test('on a terminal it has a row, which is given back, also when leaving in a hurry', () => {
  const context = new FakeContext({ isLive: true });
  new LiveLoader(context).update(recent);
  expect(context.stderr).toContain(LINE);
  expect(context.stderr).not.toContain('\n');
  context.leave(1);
  expect(context.stderr).toMatch(/\[r/);
});
