import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RemainingTime } from './remaining-time.ts';

const TICK = 0.2;

/** Estimates every fifth of a second of a virtual clock, of work that is `share(seconds)` done. */
function estimates(
  share: (seconds: number) => number | undefined,
  until: number,
): { seconds: number; left: number | undefined }[] {
  const remaining = new RemainingTime();
  const all: { seconds: number; left: number | undefined }[] = [];
  for (let tick = 0; tick * TICK <= until; tick++) {
    const seconds = tick * TICK;
    all.push({ seconds, left: remaining.after(seconds, share(seconds)) });
  }
  return all;
}

const told = (all: readonly { seconds: number; left: number | undefined }[]): { seconds: number; left: number }[] =>
  all.flatMap(({ seconds, left }) => (left === undefined ? [] : [{ seconds, left }]));

describe('the time that is left', () => {
  it('is right at a steady pace, wherever a run that was resumed begins', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.95, noNaN: true }), fc.integer({ min: 10, max: 3000 }), (begun, whole) => {
        const all = told(estimates(seconds => begun + ((1 - begun) * seconds) / whole, whole));
        expect(all.length).toBeGreaterThan(0);
        expect(Math.max(...all.map(({ seconds, left }) => Math.abs(whole - seconds - left)))).toBeLessThan(1e-3);
      }),
      { numRuns: 100 },
    );
  });

  it('is never negative, endless or no number, and never beyond what the pace so far allows', () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom(0, 0.2, 0.2, 5), fc.double({ min: -0.02, max: 0.05, noNaN: true })),
      {
        minLength: 1,
        maxLength: 300,
      },
    );
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), steps, (begun, moves) => {
        const remaining = new RemainingTime();
        let seconds = 0;
        let done = begun;
        expect(remaining.after(seconds, done)).toBeUndefined();
        for (const [pause, move] of moves) {
          seconds += pause;
          done = Math.min(1, Math.max(0, done + move));
          const left = remaining.after(seconds, done);
          if (left === undefined) continue;
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left).toBeLessThanOrEqual((10 * seconds * (1 - done)) / (done - begun) + 1e-9);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('lies between what the slowest and the fastest pace would take', () => {
    const paces = fc.array(fc.double({ min: 1, max: 4, noNaN: true }), { minLength: 20, maxLength: 400 });
    fc.assert(
      fc.property(paces, speeds => {
        const remaining = new RemainingTime();
        remaining.after(0, 0);
        let done = 0;
        for (const [at, speed] of speeds.entries()) {
          done += speed / 2000;
          const left = remaining.after((at + 1) * TICK, done);
          if (left === undefined) continue;
          const perSecond = 1 / 2000 / TICK;
          expect(left).toBeGreaterThanOrEqual((1 - done) / (4 * perSecond) - 1e-6);
          expect(left).toBeLessThanOrEqual((1 - done) / perSecond + 1e-6);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('follows when a cache is full and the rest goes twenty times as fast', () => {
    // Ten passes: the first takes 100 s, each of the others 5 s.
    const share = (seconds: number): number => (seconds < 100 ? seconds / 1000 : 0.1 + (seconds - 100) / 50);
    const all = told(estimates(share, 145));
    const before = all.find(({ seconds }) => seconds >= 99.9)?.left ?? 0;
    expect(before).toBeGreaterThan(800);
    // The truth is 25 s; by the pace of the whole run so far it would be 104.
    const halfway = all.find(({ seconds }) => seconds >= 119.9)?.left ?? 0;
    expect(halfway).toBeLessThan(50);
  });

  it('is no more than until the run is stopped', () => {
    const remaining = new RemainingTime(60);
    expect(remaining.after(0, undefined)).toBe(60);
    expect(remaining.after(10, 0)).toBe(50);
    for (let seconds = 11; seconds <= 40; seconds++)
      expect(remaining.after(seconds, (seconds - 10) / 1e5)).toBe(60 - seconds);
    expect(remaining.after(61, 0.01)).toBe(0);
    const short = new RemainingTime(1000);
    short.after(0, 0);
    expect(short.after(10, 0.5)).toBeCloseTo(10);
  });

  it('is not told at first, where nothing is known, nor when all was read', () => {
    expect(told(estimates(seconds => 1e-7 * seconds, 60))).toEqual([]);
    expect(told(estimates(() => undefined, 60))).toEqual([]);
    expect(told(estimates(() => 1, 60))).toEqual([]);
    expect(told(estimates(() => 0.5, 60))).toEqual([]);
    expect(told(estimates(seconds => Math.min(1, seconds / 10), 60)).at(-1)?.seconds).toBeLessThan(10);
    expect(told(estimates(seconds => seconds / 100, 1.9))).toEqual([]);
  });

  it('is not told of work that stands still', () => {
    const all = estimates(seconds => Math.min(0.5, seconds / 100), 2000);
    expect(all.at(200)?.left).toBeDefined();
    expect(all.at(-1)?.left).toBeUndefined();
  });

  it('is steady where work is told in steps, as by files', () => {
    const all = told(estimates(seconds => Math.floor(seconds / 5) / 100, 500)).filter(({ seconds }) => seconds > 100);
    for (const { seconds, left } of all) {
      const truth = 500 - seconds;
      expect(Math.abs(left - truth)).toBeLessThan(0.35 * truth + 10);
    }
  });
});
