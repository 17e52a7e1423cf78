import { expect, it } from 'vitest';
import { ArrayCost } from './array-cost.ts';

it('making a typed array takes time, and how much is known at any moment', () => {
  const cost = new ArrayCost();
  const first = cost.ns;
  for (let i = 0; i < 40; i++) cost.again();
  for (const ns of [first, cost.ns]) {
    expect(Number.isFinite(ns)).toBe(true);
    expect(ns).toBeGreaterThan(0);
  }
});
