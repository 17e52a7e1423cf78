import { expect, test } from 'vitest';
import { Yardstick } from './yardstick.ts';

test.each([1, 4, 60])(
  'a reading of %i tries is counted once, and adds how often one of them could be done in a second',
  tries => {
    const yardstick = new Yardstick(tries);
    expect([yardstick.readings, yardstick.speed]).toEqual([0, 0]);
    const began = process.hrtime.bigint();
    yardstick.read();
    const passed = Number(process.hrtime.bigint() - began) / 1e9;
    const first = yardstick.speed;
    expect(first).toBeLessThan(1e9);
    // Of the later half, at least half took no less.
    expect(first * passed).toBeGreaterThanOrEqual(Math.max(1, Math.floor(tries / 4)));
    yardstick.read();
    expect(yardstick.readings).toBe(2);
    expect(yardstick.speed).toBeGreaterThan(first);
  },
);
