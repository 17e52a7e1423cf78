import { describe, expect, it, test } from 'vitest';
import { Random } from './random.ts';
import { quotient, quotientInTurn, repeated } from './repeated.ts';
import type { Interval } from './statistics.ts';

const about = (estimate: number, part = 0): Interval => ({
  estimate,
  low: estimate * (1 - part),
  high: estimate * (1 + part),
  confidence: 0.9,
});

describe('the same, measured several times', () => {
  it('is the geometric mean, within what the measurements differ by', () => {
    const { estimate, low, high } = repeated([about(80), about(125)]);
    expect(estimate).toBeCloseTo(100);
    expect(low).toBeLessThan(80);
    expect(high).toBeGreaterThan(125);
  });

  it('is as uncertain as each measurement where these agree by chance', () => {
    const { low, high } = repeated([about(100, 0.1), about(100, 0.1)]);
    expect([low, high]).toEqual([expect.closeTo(92.8, 1), expect.closeTo(107, 0)]);
  });

  it('is itself where it was measured once', () => {
    expect(repeated([about(100, 0.1)])).toMatchObject({ low: expect.closeTo(90), high: expect.closeTo(110) });
  });
});

describe('a quotient of amounts measured in turn', () => {
  it('does not mind what slows both', () => {
    const pairs = [1, 0.5, 0.25].map(speed => ({ top: about(200 * speed), bottom: about(100 * speed) }));
    expect(quotientInTurn(pairs)).toMatchObject({ low: expect.closeTo(2), high: expect.closeTo(2) });
  });

  it('holds the truth as often as it says', () => {
    const random = new Random();
    random.rekey(7, 0, 0, 0, 0);
    // The logarithms of rates vary as a normal distribution does.
    const noise = (): number =>
      Math.exp(0.1 * Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform()));
    const rounds = 2000;
    let held = 0;
    for (let round = 0; round < rounds; round++) {
      const pairs = [1, 2, 3].map(() => ({ top: about(150 * noise()), bottom: about(100 * noise()) }));
      const { low, high } = quotientInTurn(pairs);
      if (low <= 1.5 && 1.5 <= high) held++;
    }
    expect(held / rounds).toBeGreaterThan(0.87);
    expect(held / rounds).toBeLessThan(0.93);
  });
});

const within = (estimate: number, error: number) => ({
  estimate,
  low: estimate / (1 + error),
  high: estimate * (1 + error),
  confidence: 0.9,
});

test('the quotient of two sure numbers is sure', () => {
  expect(quotient(within(6, 0), within(3, 0))).toMatchObject({ estimate: 2, low: 2, high: 2 });
});

test('two independent errors add as squares, not in a row', () => {
  const { low, high } = quotient(within(6, 0.03), within(3, 0.04));
  expect(high / 2).toBeCloseTo(1.05, 2);
  expect(2 / low).toBeCloseTo(1.05, 2);
});

test('what is unbounded stays so', () => {
  const open = { estimate: 1, low: 0, high: Number.POSITIVE_INFINITY, confidence: 0.9 };
  expect(quotient(within(6, 0.1), open)).toMatchObject({ low: 0, high: Number.POSITIVE_INFINITY });
});
