import { expect, test } from 'vitest';
import { Overhead, type WorkTotals } from './overhead.ts';

const START: WorkTotals = { cpu: 0, runnable: 0, busy: 0, inOperators: 0 };

/** Stretches one after the other, as totals. */
function after(...stretches: readonly Partial<WorkTotals>[]): Overhead {
  const overhead = new Overhead(START);
  let total = START;
  for (const { cpu = 0, runnable = 0, busy = 0, inOperators = 0 } of stretches) {
    total = {
      cpu: total.cpu + cpu,
      runnable: total.runnable + runnable,
      busy: total.busy + busy,
      inOperators: total.inOperators + inOperators,
    };
    overhead.add(total);
  }
  return overhead;
}

test('work outside operators is overhead', () => {
  expect(after({ cpu: 100, busy: 100, inOperators: 90 }).of(200)).toBeCloseTo(20);
});

test('a core lost outside operators is not', () => {
  const preempted = { cpu: 100, busy: 400, inOperators: 98, runnable: 300 };
  expect(after(preempted, preempted, preempted).of(300)).toBeCloseTo(6);
});

test('a core lost or a sleep inside operators hides nothing', () => {
  const clean = { cpu: 100, busy: 100, inOperators: 98 };
  const preempted = { cpu: 100, busy: 400, inOperators: 398, runnable: 300 };
  const asleep = { cpu: 100, busy: 1000, inOperators: 998 };
  expect(after(clean, preempted, asleep).of(300)).toBeCloseTo(6);
});

test('where operators sleep all the time, the wall clock has to do', () => {
  expect(after({ cpu: 40, busy: 1000, inOperators: 950, runnable: 30 }).of(40)).toBeCloseTo(20);
  expect(after({ cpu: 40, busy: 1000, inOperators: 950, runnable: 90 }).of(40)).toBe(0);
});

test('a lane that keeps no books has none', () => {
  expect(after().of(0)).toBe(0);
  expect(after({ cpu: 100 }).of(100)).toBe(0);
});
