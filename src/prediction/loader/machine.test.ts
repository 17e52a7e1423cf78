import { describe, expect, it } from 'vitest';
import { teamCost } from './machine.ts';

describe('a team of threads that work in step', () => {
  it('costs no more than its work where there are cores for all', () => {
    expect(teamCost(2, 2, 2)).toBe(1);
    expect(teamCost(4, 6, 8)).toBe(1);
  });

  it('costs nothing extra where it is one thread', () => {
    expect(teamCost(1, 5, 2)).toBe(1);
  });

  it('gets on only while all of them have a core', () => {
    // Of three threads on two cores the two are together a third of the time, in which each would have had two thirds.
    expect(teamCost(2, 3, 2)).toBeCloseTo(2);
    expect(teamCost(2, 4, 2)).toBeCloseTo(3);
    expect(teamCost(3, 4, 3)).toBeCloseTo(3);
  });

  it('grows steadily with its size and with those that want cores', () => {
    expect(teamCost(1.5, 3, 2)).toBeGreaterThan(1);
    expect(teamCost(1.5, 3, 2)).toBeLessThan(teamCost(2, 3, 2));
    expect(teamCost(2, 3.5, 2)).toBeGreaterThan(teamCost(2, 3, 2));
  });
});
