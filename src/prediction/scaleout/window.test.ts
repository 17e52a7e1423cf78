import { expect, it } from 'vitest';
import { CountingWindow } from './window.ts';

/** Counts steps that end at these moments, worker by worker, and gives the moments at which the window opens and closes. */
function windowOf(steps: number, warmUp: number, ends: readonly (readonly [worker: number, now: number])[]) {
  const window = new CountingWindow(2, steps, warmUp);
  let from: number | undefined;
  for (const [worker, now] of ends) {
    if (window.count(worker, now)) from = now;
    if (window.isClosed) return { from, to: now, counted: window.counted };
  }
  return { from, to: undefined, counted: window.counted };
}

const SLOW = [2, 4, 6, 8].map(now => [1, now] as const);
const FAST = [1, 2, 3, 4, 5, 6].map(now => [0, now] as const);
const inTurn = [...SLOW, ...FAST].sort(([, a], [, b]) => a - b);

it('counts what ends after the last worker has warmed up, until the first has done all', () => {
  expect(windowOf(6, 1, inTurn)).toEqual({ from: 2, to: 6, counted: 6 });
});

it('goes on where a fast worker has done all its steps as a slow one has warmed up, whichever is told first', () => {
  expect(windowOf(4, 2, inTurn)).toMatchObject({ from: 4, to: 6 });
  const fastFirst = [...FAST, ...SLOW].sort(([, a], [, b]) => a - b);
  expect(windowOf(4, 2, fastFirst)).toMatchObject({ from: 4, to: 6 });
});

it('ends where no time passes', () => {
  const still = Array.from({ length: 20 }, (_, at) => [at % 2, 0] as const);
  expect(windowOf(2, 1, still).to).toBe(0);
});
