import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { whenSteady } from './trial.ts';

describe('a trial that ends when its rate is steady', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Ends how many seconds after its start, where second k brings `perSecond[k]` elements. */
  function endsAfter(perSecond: readonly number[]): number | undefined {
    let elements = 0;
    let ended: number | undefined;
    const timer = whenSteady(
      () => elements,
      () => {
        ended ??= second;
      },
    );
    let second = 0;
    for (const count of perSecond) {
      elements += count;
      second++;
      vi.advanceTimersByTime(1000);
    }
    clearInterval(timer);
    return ended;
  }

  test('goes on while successive rates differ by more than a hundredth', () => {
    expect(endsAfter([100, 130, 160, 190, 220, 250])).toBeUndefined();
    expect(endsAfter([1000, 1015, 1000, 1015, 1000, 1015])).toBeUndefined();
  });

  test('ends when three of them agree, and not by one chance pair', () => {
    expect(endsAfter([100, 500, 1000, 1000, 700, 1000, 1005, 1008])).toBe(8);
  });

  test('does not take silence for evenness', () => {
    expect(endsAfter([0, 0, 0, 0, 0])).toBeUndefined();
  });
});
