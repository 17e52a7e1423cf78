import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { divideStageCpu, type SampledOperator } from './stage-cpu.ts';

/** As if one element in a thousand had been timed. */
const sampled = (times: readonly number[], worked = times.length * 1000): SampledOperator => ({
  elements: times.length,
  time: times.reduce((sum, time) => sum + time, 0),
  squares: Math.round(times.reduce((sum, time) => sum + (time / 1000) ** 2, 0)),
  worked,
  byCpuClock: false,
  awaited: false,
});

describe('dividing the CPU of a stage', () => {
  test('an operator alone has all of it, without error', () => {
    expect(divideStageCpu(5e9, [sampled([1000, 9000])])).toEqual([{ cpu: 5e9, low: 5e9, high: 5e9, asleep: 0 }]);
  });

  test('follows the sampled time', () => {
    const [a, b] = divideStageCpu(1e9, [sampled(Array(100).fill(30_000)), sampled(Array(100).fill(10_000))]);
    expect(a?.cpu).toBeCloseTo(0.75e9);
    expect(b?.cpu).toBeCloseTo(0.25e9);
  });

  test('the interval is that of the mean: a quarter of the samples, twice the width', () => {
    const width = (n: number): number => {
      const times = Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 200_000 : 400_000));
      const [a] = divideStageCpu(1e9, [sampled(times), sampled(Array(n).fill(300_000))]);
      return (a?.high ?? 0) - (a?.low ?? 0);
    };
    expect(width(100) / width(400)).toBeCloseTo(2, 1);
    // p = 1/2, s = 100 µs around a mean of 300 µs: ± 1.96 · ½ · 100 / (2 · 300 · √100) of the CPU.
    expect(width(100) / 2 / 1e9).toBeCloseTo((1.96 * 0.5 * 100) / (600 * 10), 3);
  });

  test('one sample bounds nothing', () => {
    const [a] = divideStageCpu(1e9, [sampled([2000]), sampled([1000, 1000])]);
    expect(a).toMatchObject({ cpu: 0.5e9, low: 0, high: 1e9 });
  });

  test('operators sampled at different rates are put on one scale', () => {
    const [a, b] = divideStageCpu(1e9, [sampled([1000, 1000], 2), sampled([4000], 1000)]);
    expect(a?.cpu).toBeCloseTo((1e9 * 2000) / 4_002_000);
    expect(b?.cpu).toBeCloseTo((1e9 * 4_000_000) / 4_002_000);
  });

  test('where every element was timed nothing is estimated', () => {
    const [a] = divideStageCpu(1e9, [sampled([1000, 5000], 2), sampled([6000], 1)]);
    expect(a).toMatchObject({ cpu: 0.5e9, low: 0.5e9, high: 0.5e9 });
  });

  test('what the CPU clock measured is taken as it is; the loop has the rest, divided by times that are all too long', () => {
    const source = { ...sampled([2000, 2000, 2000], 300_000), squares: 0, byCpuClock: true };
    const [read, map, filter] = divideStageCpu(1e9, [source, sampled([9000, 9000]), sampled([3000, 3000])]);
    expect(read?.cpu).toBeCloseTo(0.6e9);
    expect(map?.cpu).toBeCloseTo(0.3e9);
    expect(filter?.cpu).toBeCloseTo(0.1e9);
  });

  test('clocks that saw more than there was leave the loop a little', () => {
    const source = { ...sampled([2000, 2000, 2000], 600_000), squares: 0, byCpuClock: true };
    const [read, map] = divideStageCpu(1e9, [source, sampled(Array(100).fill(9000))]);
    expect(read?.cpu).toBeCloseTo(0.98e9);
    expect(map?.cpu).toBeCloseTo(0.02e9);
  });

  test('without samples it is even among those that worked, and says that anything is possible', () => {
    const none = { elements: 0, time: 0, squares: 0, byCpuClock: false, awaited: false };
    expect(
      divideStageCpu(10, [
        { ...none, worked: 7 },
        { ...none, worked: 0 },
        { ...none, worked: 7 },
      ]),
    ).toMatchObject([
      { cpu: 5, low: 0, high: 10 },
      { cpu: 0, low: 0, high: 0 },
      { cpu: 5, low: 0, high: 10 },
    ]);
  });

  test('what its thread slept is taken off the time of whoever took most', () => {
    const [read, decode] = divideStageCpu(
      0.5e9,
      [sampled(Array(100).fill(20_000)), sampled(Array(100).fill(4000))],
      1.9e9,
    );
    expect(read?.cpu).toBeCloseTo(0.1e9);
    expect(decode?.cpu).toBeCloseTo(0.4e9);
    expect(read?.asleep).toBeCloseTo(1.9e9);
    expect(decode?.asleep).toBe(0);
  });

  test('sleep that no element was timed in divides no CPU, and goes by it', () => {
    const parts = divideStageCpu(1e9, [sampled(Array(100).fill(7500)), sampled(Array(100).fill(2500))], 3e9);
    expect(parts.map(({ cpu }) => cpu)).toEqual([0.75e9, 0.25e9]);
    expect(parts.map(({ asleep }) => asleep)).toEqual([2.25e9, 0.75e9]);
  });

  test('what nobody was seen to sleep belongs to those whose calls are awaited', () => {
    const calling = { ...sampled([1000, 1000]), awaited: true };
    const parts = divideStageCpu(1e9, [calling, sampled([3000, 3000])], 3e9);
    expect(parts.map(({ asleep }) => asleep)).toEqual([3e9, 0]);
  });

  test('a source asleep outside the loop leaves the loop what it was', () => {
    const source = { ...sampled([2000, 2000, 2000], 300_000), squares: 0, byCpuClock: true };
    const parts = divideStageCpu(1e9, [source, sampled(Array(100).fill(3000)), sampled(Array(100).fill(1000))], 2e9);
    expect(parts.map(({ cpu }) => Math.round(cpu / 1e6))).toEqual([600, 300, 100]);
    expect(parts.reduce((sum, { asleep }) => sum + asleep, 0)).toBeCloseTo(2e9);
  });

  test('parts sum to the whole and lie in their intervals', () => {
    const time = fc.integer({ min: 0, max: 1e12 });
    const operator = fc
      .tuple(fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 20 }), fc.boolean())
      .map(([times, byCpuClock]) => ({ ...sampled(times), byCpuClock }));
    fc.assert(
      fc.property(fc.array(operator, { minLength: 1, maxLength: 6 }), time, time, (all, cpu, asleep) => {
        const parts = divideStageCpu(cpu, all, asleep);
        expect(parts.reduce((sum, part) => sum + part.cpu, 0)).toBeCloseTo(cpu, -3);
        expect(parts.reduce((sum, part) => sum + part.asleep, 0)).toBeCloseTo(asleep, -3);
        for (const part of parts) {
          expect(part.low).toBeGreaterThanOrEqual(0);
          expect(part.low).toBeLessThanOrEqual(part.cpu + 1e-3);
          expect(part.high).toBeGreaterThanOrEqual(part.cpu - 1e-3);
          expect(part.high).toBeLessThanOrEqual(cpu + 1e-3);
        }
      }),
    );
  });

  test('the 95 % interval holds the true part about 95 times of 100', () => {
    let state = 7;
    const random = (): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31;
    };
    let held = 0;
    for (let trial = 0; trial < 1000; trial++) {
      const slow = Array.from({ length: 60 }, () => 60_000 * random() + 20_000);
      const fast = Array.from({ length: 60 }, () => 20_000 * random());
      const [a] = divideStageCpu(1, [sampled(slow), sampled(fast)]);
      const truth = 50 / 60;
      if (a !== undefined && a.low <= truth && truth <= a.high) held++;
    }
    expect(held).toBeGreaterThan(920);
    expect(held).toBeLessThan(985);
  });
});
