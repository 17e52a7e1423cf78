import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PixelWriter } from './pixels.ts';
import { pyramidOver } from './spans.fixture.ts';
import { levelFor, tilesIn } from './tile-choice.ts';

const SPANS = 20_000;

/** A lane with spans of several lengths and gaps between them. */
const start = new Float64Array(SPANS);
const duration = new Float64Array(SPANS);
const subject = new Int32Array(SPANS);
let moment = 0;
for (let at = 0; at < SPANS; at++) {
  start[at] = moment;
  duration[at] = 200 + ((at * 7919) % 1800);
  subject[at] = (at * 31) % 5;
  moment += 2000 + ((at * 104_729) % 3000);
}
const pyramid = pyramidOver({ start, duration, subject }, ['a', 'b', 'c', 'd', 'e']);
const levels = { binNs: pyramid.binNs, finest: 0, coarsest: pyramid.coarsest };

/** Time of each subject between two moments, by looking at every span. */
function scanned(from: number, to: number): Map<number, number> {
  const times = new Map<number, number>();
  for (let at = 0; at < SPANS; at++) {
    const overlap = Math.min(to, (start[at] ?? 0) + (duration[at] ?? 0)) - Math.max(from, start[at] ?? 0);
    const whose = subject[at] ?? 0;
    if (overlap > 0) times.set(whose, (times.get(whose) ?? 0) + overlap);
  }
  return times;
}

describe('pixels of a timeline', () => {
  test('equal a scan of all spans at every level, where pixels are as wide as bins', () => {
    const writer = new PixelWriter();
    const random = fc.sample(fc.nat(), { numRuns: 100, seed: 7 });
    for (let level = 0; level <= pyramid.coarsest; level++) {
      const width = level === 0 ? 97 : pyramid.binNs * 2 ** (level - 1);
      for (const seed of random) {
        const from = width * (seed % Math.max(1, Math.floor(pyramid.endNs / width)));
        const view = { from, to: from + width };
        writer.begin(view, 1);
        for (const index of tilesIn(levels, level, view)) {
          const tile = pyramid.tile('0.0', level, index);
          if (tile !== undefined) writer.add(tile, pyramid.binNs, level, index);
        }
        const expected = scanned(from, from + width);
        expect([...writer.totals()].sort()).toEqual([...expected].sort());
        const { subject: shown, share } = writer.row();
        const sum = [...expected.values()].reduce((all, ns) => all + ns, 0);
        expect(share[0]).toBeCloseTo(sum / width, 6);
        expect(expected.get(shown[0] ?? -1) ?? 0).toBe(Math.max(0, ...expected.values()));
      }
    }
  });

  test('come from spans where bins would be wider than a pixel, and from few tiles in any view', () => {
    expect(levelFor(levels, { from: 0, to: pyramid.endNs }, 1)).toBe(pyramid.coarsest);
    expect(levelFor(levels, { from: 0, to: 1000 }, 1000)).toBe(0);
    expect(levelFor({ ...levels, finest: 2 }, { from: 0, to: 1000 }, 1000)).toBe(2);
    for (let width = 1000; width < pyramid.endNs; width *= 3) {
      const view = { from: 0, to: width };
      const level = levelFor(levels, view, 1200);
      if (level > 0) expect(tilesIn(levels, level, view).length).toBeLessThanOrEqual(6);
    }
  });
});
