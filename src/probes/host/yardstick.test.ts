import { expect, test } from 'vitest';
import { Yardstick } from './yardstick.ts';

test.each([1, 4, 60])('a reading of %i tries is counted once, and adds what one of them took', tries => {
  const yardstick = new Yardstick(tries);
  expect([yardstick.readings, yardstick.time]).toEqual([0, 0]);
  const began = process.hrtime.bigint();
  yardstick.read();
  const passed = Number(process.hrtime.bigint() - began);
  const first = yardstick.time;
  expect(first).toBeGreaterThan(0);
  // Of the later half, at least half took no less.
  expect(first * Math.max(1, Math.floor(tries / 4))).toBeLessThanOrEqual(passed);
  yardstick.read();
  expect(yardstick.readings).toBe(2);
  expect(yardstick.time).toBeGreaterThan(first);
});
