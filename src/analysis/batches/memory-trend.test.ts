import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryTrend } from './memory-trend.ts';

const MB = 2 ** 20;
const SECOND = 1e9;
const SECONDS = 300;

/** Two samples a second of so much memory, in MB, with noise of up to `noise` MB on top. */
const samples = (megabytes: (seconds: number) => number, noise: readonly number[] = [0]) =>
  Array.from({ length: 2 * SECONDS }, (_, at) => ({
    at: (at / 2) * SECOND,
    value: (megabytes(at / 2) + (noise[at % noise.length] ?? 0)) * MB,
  }));

const grows = (megabytes: (seconds: number) => number, noise?: readonly number[]): boolean =>
  memoryTrend(samples(megabytes, noise))?.growth !== undefined;

const level = fc.integer({ min: 50, max: 20_000 });
/** Of a length that shares no factor with the parts of the series. */
const noiseOf = (most: number) =>
  fc.array(fc.double({ min: 0, max: most, noNaN: true }), { minLength: 601, maxLength: 601 });

describe('memory that lasts', () => {
  it('is found, with its slope, under noise and under a saw-tooth', () => {
    fc.assert(
      fc.property(
        level,
        fc.integer({ min: 2, max: 12 }),
        fc.integer({ min: 2, max: 15 }),
        noiseOf(3),
        (base, share, period, noise) => {
          const perSecond = (base * share) / 100 / 10;
          const leak = (t: number): number => base + perSecond * t + ((t % period) / period) * perSecond * 60;
          const trend = memoryTrend(samples(leak, noise));
          const perNs = (perSecond * MB) / SECOND;
          expect(trend?.growth?.estimate).toBeGreaterThan(0.6 * perNs);
          expect(trend?.growth?.estimate).toBeLessThan(1.4 * perNs);
        },
      ),
    );
  });

  it('is found in private memory, which is read every five seconds', () => {
    const few = samples(t => 200 + t).filter((_, at) => at % 10 === 0);
    expect((memoryTrend(few)?.growth?.estimate ?? 0) * (SECOND / MB)).toBeCloseTo(1, 1);
  });
});

describe('memory that does not last is no growth', () => {
  it('where it is level, whatever the noise', () => {
    fc.assert(
      fc.property(level, fc.double({ min: 0, max: 0.5, noNaN: true }), noiseOf(1), (base, part, noise) => {
        expect(
          grows(
            () => base,
            noise.map(value => value * part * base),
          ),
        ).toBe(false);
      }),
    );
  });

  it('where it comes and goes, up to half of the time of the recording', () => {
    fc.assert(
      fc.property(
        level,
        fc.double({ min: 1.2, max: SECONDS / 2, noNaN: true }),
        fc.double({ min: 0, max: SECONDS, noNaN: true }),
        (base, period, phase) => {
          expect(grows(t => base + (((t + phase) % period) / period) * base)).toBe(false);
        },
      ),
    );
  });

  it('where a program takes it once, at any time', () => {
    fc.assert(
      fc.property(level, fc.double({ min: 0, max: SECONDS, noNaN: true }), noiseOf(1), (base, moment, noise) => {
        expect(grows(t => (t < moment ? base : 2 * base), noise)).toBe(false);
      }),
    );
  });

  it('where it fills up at the start', () => {
    fc.assert(
      fc.property(level, fc.integer({ min: 1, max: Math.floor(SECONDS / 8) }), (base, constant) => {
        expect(grows(t => base * (1 - Math.exp(-t / constant)) + 10)).toBe(false);
      }),
    );
  });

  it('where it falls', () => {
    expect(grows(t => 5000 - t)).toBe(false);
  });
});

it('of few samples nothing is said', () => {
  expect(memoryTrend(samples(t => t).slice(0, 12))).toBeUndefined();
  expect(memoryTrend([])).toBeUndefined();
});
