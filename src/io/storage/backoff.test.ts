import { describe, expect, it } from 'vitest';
import { backoffMs, parseRetryAfter } from './backoff.ts';

describe('the wait before another attempt', () => {
  it('doubles up to a limit, and is a random half to whole of that', () => {
    const longest = [1, 2, 3, 4, 20].map(attempt => backoffMs(attempt, undefined, 120_000, () => 1));
    expect(longest).toEqual([100, 200, 400, 800, 20_000]);
    expect(backoffMs(3, undefined, 120_000, () => 0)).toBe(200);
  });

  it('is at least what the server asks for, within reason', () => {
    expect(backoffMs(1, 3_000, 120_000, () => 0)).toBe(3_000);
    expect(backoffMs(6, 1, 120_000, () => 1)).toBe(3_200);
    expect(backoffMs(1, 86_400_000, 120_000, () => 0)).toBe(120_000);
    expect(backoffMs(1, 86_400_000, 0, () => 0)).toBe(50);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('Wed, 21 Oct 2015 07:28:00 GMT');
  it.each([
    [undefined, undefined],
    ['7', 7_000],
    ['Wed, 21 Oct 2015 07:28:30 GMT', 30_000],
    ['Wed, 21 Oct 2015 07:27:00 GMT', 0],
    ['soon', undefined],
  ])('%s means %s ms', (header, ms) => expect(parseRetryAfter(header, now)).toBe(ms));
});
