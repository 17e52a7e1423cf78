import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { placeNodes } from '../../compile/graph.ts';
import { type ExecutionPlan, outputsOf, planExecution } from '../../compile/stages.ts';
import { range, zip } from '../../index.ts';
import { Clock } from '../books/clock.ts';
import { Activity } from '../ring/activity.ts';
import { allocateRing, RingConsumer, RingProducer } from '../ring/index.ts';
import { Standstill } from './standstill.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function parting(): ExecutionPlan {
  const numbers = range(100);
  const { node } = zip([numbers, numbers.skip(50)]);
  return planExecution(placeNodes(node), { inline: false, memory: 2 ** 20, slots: 1 });
}

const BUDGET = 2 ** 20;

/** Everyone waits for a word that does not come: the source for room, the others for elements. */
function standing() {
  const plan = parting();
  const clock = new Clock(process.hrtime.bigint());
  const memories = plan.channels.map(({ shape }) => allocateRing(shape));
  const rings = memories.map(memory => new RingConsumer(memory, clock));
  const activities = plan.stages.map(() => new Activity());
  const failed: Error[] = [];
  const [full = -1] = outputsOf(plan, 0);
  const memory = memories[full];
  if (memory === undefined) throw new Error('the source is read by two');
  new RingProducer(memory, clock).write(0, new Uint8Array(9), 1, 0, 0);
  const wait = (): void =>
    activities.forEach((activity, stage) => {
      activity.waits(stage === 0 ? full : plan.links.findIndex(({ to }) => to === stage), 0, 12345);
    });
  wait();
  const standstill = new Standstill({
    plan,
    lanes: activities.map((activity, stage) => ({ stage, activity })),
    rings,
    budget: BUDGET,
    consumerWaits: () => true,
    failed: error => void failed.push(error),
  });
  return { standstill, activities, ring: rings[full] as RingConsumer, failed };
}

describe('a standstill', () => {
  it('is none as long as a lane has not had the time to look again', () => {
    const { standstill, activities, ring, failed } = standing();
    const [source, ...others] = activities;
    // The others are awake and find nothing; the machine is busy, and the source gets no core.
    for (let look = 0; look < 500; look++) {
      vi.advanceTimersByTime(10);
      for (const activity of others) activity.looked(activity.asked);
    }
    expect([failed, ring.allowance]).toEqual([[], 0]);
    source?.looked(source.asked);
    vi.advanceTimersByTime(10);
    const first = ring.allowance;
    expect(first).toBeGreaterThan(0);
    // It may go on now, and does not know yet.
    vi.advanceTimersByTime(5000);
    expect([failed, ring.allowance]).toEqual([[], first]);
    standstill.close();
  });

  it('that lasts, however much is allowed, ends in a failure', () => {
    const { standstill, activities, ring, failed } = standing();
    for (let look = 0; look < 100 && failed.length === 0; look++) {
      vi.advanceTimersByTime(10);
      for (const activity of activities) activity.looked(activity.asked);
    }
    expect(failed).toMatchObject([{ code: 'VENTURI_BUDGET_TOO_SMALL' }]);
    expect(ring.allowance).toBe(BUDGET);
    standstill.close();
  });

  it('is over when a lane has moved', () => {
    const { standstill, activities, ring, failed } = standing();
    for (let look = 0; look < 100; look++) {
      vi.advanceTimersByTime(10);
      activities[1]?.moved();
      for (const activity of activities) activity.looked(activity.asked);
    }
    expect([failed, ring.allowance]).toEqual([[], 0]);
    standstill.close();
  });
});
