import { describe, expect, it } from 'vitest';
import { type SharedTotals, sharedTotals } from '../books/totals.ts';
import { Sampler } from './sampler.ts';

const open = (): { totals: SharedTotals; sampler: Sampler } => {
  const size = { operators: 3, inputs: 1, outputs: 1 };
  const totals = sharedTotals(size);
  return { totals, sampler: new Sampler(totals, 1) };
};

/** Elements of `count` that would be timed. */
function timed(sampler: Sampler, count: number): number {
  let samples = 0;
  for (let element = 0; element < count; element++) {
    if (--sampler.countdown > 0) continue;
    sampler.next();
    samples++;
  }
  return samples;
}

describe('the sampler', () => {
  it('times every costly element and few cheap ones', () => {
    const { sampler } = open();
    sampler.fit(50e6, 3);
    expect(timed(sampler, 1_000)).toBe(1_000);
    sampler.fit(5, 3);
    expect(timed(sampler, 1_000_000)).toBeLessThan(2_000);
  });

  it('keeps to its mean gap, at random', () => {
    const { sampler } = open();
    sampler.fit(20_000, 3);
    timed(sampler, 1_000);
    const many = timed(sampler, 1_000_000);
    sampler.fit(10_000, 3);
    timed(sampler, 1_000);
    expect(timed(sampler, 1_000_000) / many).toBeCloseTo(0.5, 1);
  });

  it('times cheap elements in a row, counts none that finds its code cold, and sizes the last', () => {
    const { totals, sampler } = open();
    sampler.fit(5, 3);
    sampler.countdown = 1;
    const sized: number[] = [];
    let row = 0;
    do {
      sampler.next();
      sampler.tickAgain(0, sampler.tick(0, sampler.now()));
      if (sampler.sizing) sized.push(row);
      row++;
    } while (sampler.countdown === 1);
    expect(row).toBe(32);
    expect(totals.sampledElements[1]).toBe(31);
    expect(sized).toEqual([28, 29, 30, 31]);
  });

  it('is not led astray by a pause, where few elements are timed', () => {
    const pauseOf = (nsPerElement: number): number => {
      const { totals, sampler } = open();
      sampler.fit(nsPerElement, 3);
      for (let element = 0; element < 100; element++) {
        sampler.next();
        sampler.tick(0, sampler.now() - 0.002);
      }
      const before = totals.sampledTime[1] ?? 0;
      do sampler.next();
      while (sampler.countdown > 1);
      sampler.next();
      sampler.tick(0, sampler.now() - 50);
      return (totals.sampledTime[1] ?? 0) - before;
    };
    // 50 ms, by chance, among elements of 2 µs.
    expect(pauseOf(2000)).toBeLessThan(5e6);
    expect(pauseOf(50e6)).toBeGreaterThan(49e6);
  });

  it('takes up small gaps at once when elements become costly', () => {
    const { sampler } = open();
    sampler.fit(5, 3);
    sampler.next();
    sampler.fit(50e6, 3);
    expect(sampler.countdown).toBeLessThanOrEqual(2);
  });

  it('adds times and sizes to the operator they belong to', () => {
    const { totals, sampler } = open();
    const began = sampler.now();
    const later = sampler.tick(0, began - 5);
    expect(later).toBeGreaterThanOrEqual(began);
    sampler.tickAgain(0, later - 5);
    sampler.sized(1, new Uint8Array(1000));
    expect([...totals.sampledElements]).toEqual([0, 1, 0]);
    expect(totals.sampledTime[1]).toBeGreaterThan(9e6);
    expect(totals.sampledTime[1]).toBeLessThan(60e6);
    expect(totals.sampledSquares[1]).toBeGreaterThan(2 * 4_900 ** 2);
    expect([...totals.sizedElements]).toEqual([0, 0, 1]);
    expect([...totals.sampledArrays]).toEqual([0, 0, 1]);
    expect([...totals.sampledObjects]).toEqual([0, 0, 0]);
    sampler.sized(1, { name: 'venturi' });
    expect([...totals.sampledObjects]).toEqual([0, 0, 2]);
    expect(totals.sampledBytes[2]).toBeGreaterThanOrEqual(1000);
  });

  it('never counts less than nothing', () => {
    const { totals, sampler } = open();
    sampler.tick(0, sampler.now() + 5);
    expect(totals.sampledTime[1]).toBe(0);
  });
});
