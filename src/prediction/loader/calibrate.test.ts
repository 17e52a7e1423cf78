import { describe, expect, it } from 'vitest';
import { calibrated } from './calibrate.ts';
import { forecastLoader, ownError } from './forecast.ts';
import { profile } from './profile.fixture.ts';

const beside = (others: number, measured: number) =>
  profile({ cores: 2 }, { machine: { cores: 2, physical: 2, others }, busy: Math.min(2, 1 + others), measured });

describe('other programs, weighed', () => {
  it('take as much as the recorded rate tells', () => {
    const truth = beside(3, Number.NaN);
    const { estimate } = forecastLoader(truth, truth.setting).rate;
    for (const guessed of [1, 8]) {
      const { machine } = calibrated(beside(guessed, estimate));
      expect(machine.others).toBeCloseTo(3, 0);
      expect(ownError({ ...truth, machine, measured: estimate })).toBeCloseTo(1, 1);
    }
  });

  it('took what was counted where cores were left over, however slow the program was', () => {
    const { machine } = calibrated({ ...beside(0.5, 10), busy: 1.5 });
    expect(machine.others).toBe(0.5);
  });

  it('are left as counted where no other weight comes nearer to the recorded rate', () => {
    const counted = beside(3, Number.NaN);
    const exact = { ...counted, measured: forecastLoader(counted, counted.setting).rate.estimate };
    expect(calibrated(exact).machine.others).toBe(3);
  });

  it('are left alone where there are none, whatever was measured', () => {
    expect(calibrated(beside(0, 10)).machine.others).toBe(0);
  });
});
