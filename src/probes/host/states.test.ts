import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STATES } from '../../model/state.ts';
import { splitStates } from './states.ts';

const time = fc.double({ min: 0, max: 2 ** 48, noNaN: true });
const few = fc.constantFrom(0, 1, 1e3, 1e9);
const times = fc.tuple(...Array.from({ length: 5 }, () => fc.oneof(time, few))) as fc.Arbitrary<
  [number, number, number, number, number]
>;
const more = fc.oneof(time, few);

/** Sums of doubles differ by a few units in the last place. */
const atLeast = (a: number, b: number, scale: number): boolean => a >= b - 1e-12 * scale;

describe('splitStates', () => {
  it('gives the rest of the sleep to blocked', () => {
    expect(splitStates(100, 40, 10, 20, 5)).toEqual({
      running: 40,
      runnable: 10,
      blocked: 25,
      starved: 20,
      backpressured: 5,
    });
  });

  it('shortens waits that claim more than the time asleep, in their proportion', () => {
    expect(splitStates(100, 60, 10, 30, 10)).toEqual({
      running: 60,
      runnable: 10,
      blocked: 0,
      starved: 22.5,
      backpressured: 7.5,
    });
  });

  it('shortens the kernel account where it exceeds the wall clock', () => {
    expect(splitStates(100, 90, 30, 50, 0)).toEqual({
      running: 75,
      runnable: 25,
      blocked: 0,
      starved: 0,
      backpressured: 0,
    });
  });

  it('sums to the wall time and is never negative', () => {
    fc.assert(
      fc.property(times, ([wall, ...rest]) => {
        const split = splitStates(wall, ...rest);
        const sum = STATES.reduce((total, state) => total + split[state], 0);
        expect(Math.abs(sum - wall)).toBeLessThanOrEqual(1e-12 * wall);
        for (const state of STATES) expect(split[state]).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('grows each state with its own measure and blocked with the wall time', () => {
    fc.assert(
      fc.property(times, more, ([wall, cpu, runnable, starved, backpressured], extra) => {
        const base = splitStates(wall, cpu, runnable, starved, backpressured);
        const running = splitStates(wall, cpu + extra, runnable, starved, backpressured);
        expect(atLeast(running.running, base.running, wall)).toBe(true);
        expect(atLeast(base.blocked, running.blocked, wall)).toBe(true);
        const queued = splitStates(wall, cpu, runnable + extra, starved, backpressured);
        expect(atLeast(queued.runnable, base.runnable, wall)).toBe(true);
        const starving = splitStates(wall, cpu, runnable, starved + extra, backpressured);
        expect(atLeast(starving.starved, base.starved, wall)).toBe(true);
        expect(atLeast(base.blocked, starving.blocked, wall)).toBe(true);
        const pressed = splitStates(wall, cpu, runnable, starved, backpressured + extra);
        expect(atLeast(pressed.backpressured, base.backpressured, wall)).toBe(true);
        const longer = splitStates(wall + extra, cpu, runnable, starved, backpressured);
        for (const state of STATES) expect(atLeast(longer[state], base[state], wall + extra)).toBe(true);
      }),
    );
  });
});
