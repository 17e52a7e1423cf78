import { describe, expect, it } from 'vitest';
import { forecastLoader, ownError } from './forecast.ts';
import { profileOf } from './profile.ts';
import { factsOf, host, idle, MS, recordingOf } from './recording.fixture.ts';

/** Workers that import something for 400 ms before their first batch of 10 ms is done; the program makes one pass of 80. */
const wish = { batches: 80, start: 20, prepare: 10, step: 4, warmUp: 400, isWhole: true };
const eight = { ...host, coresUsable: 8, coresPhysical: 8 };

function recorded(workers: number, persistent: boolean, passes: number) {
  const recording = recordingOf({ ...wish, workers, persistent, passes });
  const facts = { ...factsOf([], workers, { persistent_workers: persistent }), ...recording };
  const profile = profileOf('loader', { facts, use: idle, host: eight, isCut: false });
  if (profile === undefined) throw new Error('The recording has too few batches.');
  return profile;
}

describe('the first batch of a worker', () => {
  it('is no sample of the others, and what it takes more is known', () => {
    const { preparing, warmUp } = recorded(2, false, 2);
    expect(new Set(preparing.map(({ cpu }) => cpu))).toEqual(new Set([10 * MS]));
    expect(warmUp.preparing.cpu).toBeCloseTo(400 * MS, 3);
    expect(warmUp.step).toEqual({ cpu: 0, asleep: 0 });
  });

  it.each([
    ['in every pass where they do not stay', false, 2],
    ['once where they stay', true, 3],
    ['in a short program', false, 1],
  ])('is paid by each worker, %s', (_, persistent, passes) => {
    for (const from of [1, 2, 4]) {
      const profile = recorded(from, persistent, passes);
      expect(ownError(profile)).toBeCloseTo(1, 1);
      for (const workers of [1, 2, 4]) {
        const { estimate } = forecastLoader(profile, { ...profile.setting, workers }).rate;
        const truth = recorded(workers, persistent, passes).measured;
        expect(estimate / truth).toBeGreaterThan(0.97);
        expect(estimate / truth).toBeLessThan(1.01);
      }
    }
  });
});
