import { expect, test } from 'vitest';
import { FakeContext } from './fake-context.fixture.ts';
import { LiveStatus } from './live-status.ts';

test('without a terminal it is one line every ten seconds', () => {
  const context = new FakeContext();
  const live = new LiveStatus(context);
  for (context.moment = 0; context.moment <= 25_000; context.moment += 500) live.show('train  12.3/s');
  live.close();
  expect(context.stderr).toBe('venturi: train  12.3/s\nventuri: train  12.3/s\n');
  expect(context.stdout).toBe('');
});

test('on a terminal it has a row, which is given back, also when leaving in a hurry', () => {
  const context = new FakeContext({ isLive: true });
  new LiveStatus(context).show('train  12.3/s');
  expect(context.stderr).toContain('venturi: train  12.3/s');
  expect(context.stderr).not.toContain('\n');
  context.leave(1);
  expect(context.stderr).toMatch(/\[r/);
});
