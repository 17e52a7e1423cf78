import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Run } from '../../../../engine/contract/run.ts';
import { kindNamed } from '../../../../model/kind.ts';
import { whenLongEnough, whenSteady } from './trial.ts';

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

describe('a trial of a plan with a cache', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  // It was taken to be full when nothing came to it for 0.3 s, and measured while it was being filled.
  test('begins once the cache gives more than came to it, however slowly that came', () => {
    const graph = {
      operators: [
        { id: 'slow', inputs: [] },
        { id: 'slow/cache', inputs: ['slow'], cache: { in: 'memory' } },
      ].map(operator => ({ ...operator, kind: kindNamed('map'), label: operator.id, sequential: false })),
    };
    const out = { slow: 0, cache: 0 };
    const run = {
      graph,
      progress: () => ({
        elements: out.cache,
        operators: [
          { id: 'slow', elementsIn: out.slow, elementsOut: out.slow },
          { id: 'slow/cache', elementsIn: out.cache, elementsOut: out.cache },
        ],
      }),
    } as unknown as Run<unknown>;
    let isOver = false;
    const stop = whenLongEnough(run, { seconds: 4, untilStable: false, root: 'slow/cache', filled: 'slow' }, () => {
      isOver = true;
    });
    // Fifteen elements, one a second: longer than it is to be measured.
    for (let second = 0; second < 15; second++) {
      out.slow++;
      out.cache++;
      vi.advanceTimersByTime(1000);
      expect([second, isOver]).toEqual([second, false]);
    }
    out.cache = 1000;
    vi.advanceTimersByTime(3500);
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(1000);
    expect(isOver).toBe(true);
    stop();
  });
});
