import { describe, expect, test } from 'vitest';
import { textWidth } from '../report/width.ts';
import type { LiveProgress } from '../workflow/index.ts';
import { FakeContext } from './fake-context.fixture.ts';
import { liveLine, ProgressLine } from './progress-line.ts';

const live: LiveProgress = {
  seconds: 4,
  elements: 12_400,
  elementsPerSecond: 3100,
  bytesPerSecond: 12.4e6,
  coresBusy: 1.91,
  coresUsable: 2,
  done: 0.71,
  etaSeconds: 3,
};

describe('the live line', () => {
  test('shows rates, cores, how far and how long', () => {
    expect(liveLine(live, 100, 'unicode')).toMatchInlineSnapshot(
      `"12.4 k elements  3.10 k/s  12.4 MB/s  1.9 of 2 cores  ██████████████░░░░░░  71 %  3.0 s left"`,
    );
    expect(liveLine({ ...live, done: undefined, etaSeconds: undefined }, 100, 'unicode')).toMatchInlineSnapshot(
      `"12.4 k elements  3.10 k/s  12.4 MB/s  1.9 of 2 cores"`,
    );
  });

  test('fits every width and keeps what one waits for', () => {
    for (let width = 10; width < 120; width++) {
      expect(textWidth(liveLine(live, width, 'unicode'))).toBeLessThanOrEqual(width);
    }
    expect(liveLine(live, 20, 'unicode')).toContain('3.0 s left');
  });
});

describe('on a terminal', () => {
  test('one line is rewritten five times a second, and the cursor comes back', () => {
    const context = new FakeContext({ isLive: true });
    const line = new ProgressLine(context.terminal.err, 'unicode', () => context.moment);
    for (context.moment = 0; context.moment < 1000; context.moment += 10) line.update(live);
    expect(context.stderr.match(/\r/g)).toHaveLength(5);
    expect(context.stderr).not.toContain('\n');
    expect(context.stderr.startsWith('\x1b[?25l')).toBe(true);
    line.close();
    expect(context.stderr.endsWith('\r\x1b[K\x1b[?25h')).toBe(true);
  });

  test('a lasting line replaces it', () => {
    const context = new FakeContext({ isLive: true });
    const line = new ProgressLine(context.terminal.err, 'unicode', () => context.moment);
    line.update(live);
    line.say('warning: slow disk');
    expect(context.stderr.endsWith('\r\x1b[K\x1b[?25hwarning: slow disk\n')).toBe(true);
  });

  test('closing twice, or without having drawn, writes nothing', () => {
    const context = new FakeContext({ isLive: true });
    const line = new ProgressLine(context.terminal.err, 'unicode', () => context.moment);
    line.close();
    line.close();
    expect(context.stderr).toBe('');
  });
});

test('elsewhere a quiet line every ten seconds, without any escape', () => {
  const context = new FakeContext({ isLive: false });
  const line = new ProgressLine(context.terminal.err, 'unicode', () => context.moment);
  for (context.moment = 0; context.moment <= 25_000; context.moment += 100) line.update(live);
  line.close();
  expect(context.stderr).toMatchInlineSnapshot(`
    "4.0 s  12.4 k elements  3.10 k/s  12.4 MB/s  1.9 of 2 cores  71 %  3.0 s left
    4.0 s  12.4 k elements  3.10 k/s  12.4 MB/s  1.9 of 2 cores  71 %  3.0 s left
    "
  `);
});
