import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Results, Slice, turnsLeft } from '../bench/slices/results.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'venturi-slices-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const MINUTE = 60_000;

interface Measured {
  readonly side: string;
  readonly round: number;
}

/** One call of a bench of which each measurement takes a minute, and which is ended in the midst of its last one. */
async function call(
  file: string,
  { sides, rounds, minutes = Number.POSITIVE_INFINITY, diesAt = Number.POSITIVE_INFINITY }: CallOptions,
): Promise<{ readonly results: readonly Measured[]; readonly left: number }> {
  let now = 0;
  const results = new Results<Measured>(file, { seconds: 4 });
  const slice = new Slice(minutes, () => now);
  const timesDone = (side: string): number => results.all.filter(each => each.side === side).length;
  let made = 0;
  try {
    const left = await slice.each(turnsLeft(sides, rounds, timesDone), ({ side, round }) => {
      if (made === diesAt) throw new Error('ended');
      made++;
      now += MINUTE;
      results.add({ side, round });
    });
    return { results: results.all, left: left.length };
  } catch {
    appendFileSync(file, '{"side":"cut o');
    return { results: results.all, left: Number.NaN };
  }
}

interface CallOptions {
  readonly sides: readonly string[];
  readonly rounds: number;
  readonly minutes?: number;
  readonly diesAt?: number;
}

describe('a bench in slices', () => {
  test('measures the same, in the same order, as in one go, wherever its calls end', async () => {
    const cases = fc.record({
      sides: fc.uniqueArray(fc.constantFrom('engine', 'loader', 'limit', 'consumer'), { minLength: 1 }),
      rounds: fc.integer({ min: 0, max: 4 }),
      calls: fc.array(
        fc.oneof(
          fc.record({ minutes: fc.integer({ min: 1, max: 5 }) }),
          fc.record({ diesAt: fc.integer({ min: 0, max: 5 }) }),
        ),
        { maxLength: 4 },
      ),
    });
    let at = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ sides, rounds, calls }) => {
        const [whole, parts] = [join(folder, `whole-${at}`), join(folder, `parts-${at++}`)];
        const { results } = await call(whole, { sides, rounds });
        expect(results).toHaveLength(sides.length * rounds);
        for (const limits of calls) await call(parts, { sides, rounds, ...limits });
        const last = await call(parts, { sides, rounds });
        expect(last.results).toEqual(results);
        expect(last.left).toBe(0);
      }),
    );
  });

  test('turns the order of its sides from round to round', () => {
    const turns = turnsLeft(['a', 'b', 'c'], 2, () => 0);
    expect(turns.map(({ side }) => side).join('')).toBe('abccba');
  });

  test('leaves for another call what takes longer than there is time, and always does something', async () => {
    const file = join(folder, 'results');
    const options = { sides: ['a', 'b', 'c'], rounds: 1 };
    expect((await call(file, { ...options, minutes: 0.5 })).left).toBe(2);
    expect((await call(file, { ...options, minutes: 1.5 })).left).toBe(1);
  });

  test('takes nothing for its own that was measured otherwise', () => {
    const file = join(folder, 'results');
    new Results<object>(file, { seconds: 1, lanes: [4, 8] }).add({ side: 'short' });
    const results = new Results<object>(file, { seconds: 4, lanes: [4, 8] });
    expect(results.all).toEqual([]);
    results.add({ side: 'long' });
    expect(new Results<object>(file, { seconds: 4, lanes: [4, 8] }).all).toMatchObject([{ side: 'long' }]);
    expect(new Results<object>(file, { seconds: 1, lanes: [4, 8] }).all).toMatchObject([{ side: 'short' }]);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(2);
  });
});
