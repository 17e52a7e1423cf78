import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pyramidOver } from './spans.fixture.ts';
import { rangeTotals, totalsPieces } from './totals.ts';

const SPANS = 30_000;
const start = Float64Array.from({ length: SPANS }, (_, at) => at * 1000 + ((at * 7919) % 300));
const duration = Float64Array.from({ length: SPANS }, (_, at) => (at * 104_729) % 700);
const subject = Int32Array.from({ length: SPANS }, (_, at) => (at * 31) % 3);
const pyramid = pyramidOver({ start, duration, subject }, ['a', 'b', 'c']);
const levels = { binNs: pyramid.binNs, finest: 0, coarsest: pyramid.coarsest };

const range = fc
  .tuple(fc.nat(30_000_000), fc.nat(30_000_000))
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 }));

test('totals of any range equal a scan of all spans, from a few tiles', async () => {
  await fc.assert(
    fc.asyncProperty(range, async ({ from, to }) => {
      let asked = 0;
      const totals = await rangeTotals(
        levels,
        ['0.0'],
        { from, to },
        {
          tiles: async (series, level, index) => {
            asked++;
            return series.map(key => pyramid.tile(key, level, index));
          },
        },
      );
      const expected = new Map<number, number>();
      for (let at = 0; at < SPANS; at++) {
        const overlap = Math.min(to, (start[at] ?? 0) + (duration[at] ?? 0)) - Math.max(from, start[at] ?? 0);
        const whose = subject[at] ?? 0;
        if (overlap > 0) expected.set(whose, (expected.get(whose) ?? 0) + overlap);
      }
      expect([...totals].sort()).toEqual([...expected].sort());
      expect(asked).toBeLessThanOrEqual(4 * (pyramid.coarsest + 1));
    }),
    { numRuns: 60 },
  );
});

test('pieces cover a range once, whichever levels there are', () => {
  fc.assert(
    fc.property(range, fc.nat(pyramid.coarsest), (given, finest) => {
      const pieces = [...totalsPieces({ ...levels, finest }, given)].sort((a, b) => a.from - b.from);
      let end = given.from;
      for (const { from, to, level } of pieces) {
        expect(from).toBe(end);
        expect(to).toBeGreaterThan(from);
        expect(level >= finest && level <= pyramid.coarsest).toBe(true);
        end = to;
      }
      expect(end).toBe(given.to);
    }),
  );
});
