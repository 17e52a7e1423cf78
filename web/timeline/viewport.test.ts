import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clamped, panned, ticks, zoomed } from './viewport.ts';

const DURATION = 60e9;
const view = fc
  .tuple(fc.nat(59_000_000), fc.integer({ min: 1, max: 60_000_000 }))
  .map(([from, width]) => clamped({ from: from * 1e3, to: (from + width) * 1e3 }, DURATION));

describe('the view of a timeline', () => {
  test('stays inside the run, whatever is done with it', () => {
    fc.assert(
      fc.property(
        view,
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (given, factor, anchor) => {
          for (const { from, to } of [
            zoomed(given, factor, anchor, DURATION),
            panned(given, factor - 2, DURATION, 800),
          ]) {
            expect(from).toBeGreaterThanOrEqual(0);
            expect(to).toBeLessThanOrEqual(DURATION + 1e-3);
            expect(to).toBeGreaterThan(from);
          }
        },
      ),
    );
  });

  test('keeps the moment under the pointer where it is', () => {
    const { from, to } = zoomed({ from: 10e9, to: 30e9 }, 0.5, 0.25, DURATION);
    expect([from, to]).toEqual([12.5e9, 22.5e9]);
  });

  test('moves by whole pixels, and by one at least', () => {
    const [from, to] = [10e9, 10.8e9];
    expect(panned({ from, to }, 0.12, DURATION, 100)).toEqual({ from: 10.096e9, to: 10.896e9 });
    expect(panned({ from, to }, -0.126, DURATION, 100).from).toBe(9.896e9);
    expect(panned({ from, to }, 1e-9, DURATION, 100).from).toBe(10.008e9);
    expect(panned({ from, to }, 0, DURATION, 100)).toEqual({ from, to });
    // Not beyond the run's ends, and there by whole pixels, too.
    expect(panned({ from: 0.02e9, to: 0.82e9 }, -0.5, DURATION, 100).from).toBeCloseTo(0.004e9, 3);
    expect(panned({ from: 0.004e9, to: 0.804e9 }, -0.5, DURATION, 100).from).toBe(0.004e9);
    expect(panned({ from: 59.1e9, to: 59.9e9 }, 0.5, DURATION, 100).to).toBeLessThanOrEqual(DURATION);
  });

  test('has round moments on its axis', () => {
    expect(ticks({ from: 0, to: 10e9 }, 6)).toEqual([0, 2e9, 4e9, 6e9, 8e9, 10e9]);
    expect(ticks({ from: 1.1e6, to: 1.35e6 }, 5)).toEqual([1.1e6, 1.15e6, 1.2e6, 1.25e6, 1.3e6, 1.35e6]);
    expect(ticks({ from: 3e9, to: 3e9 + 1000 }, 4).length).toBeLessThanOrEqual(5);
  });
});
