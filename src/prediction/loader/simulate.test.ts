import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Preparing } from './profile.ts';
import { type Draw, simulate } from './simulate.ts';

const MANY_CORES = { cores: 1000, physical: 1000, others: 0 };
const setting = (workers: number, prefetch = 2) => ({
  workers,
  prefetch,
  pinned: false,
  persistent: false,
  inOrder: true,
});

/** Times in a fixed order, over and over. */
function drawOf(preparing: readonly number[], steps: readonly number[], more: Partial<Draw> = {}): Draw {
  const turns = <T>(values: readonly T[]): (() => T) => {
    let at = 0;
    return () => values[at++ % values.length] as T;
  };
  const [next, step] = [turns(preparing), turns(steps)];
  return {
    preparing: () => ({ cpu: next(), asleep: 0, pooled: 0 }),
    step: () => ({ cpu: 0, threads: 1, asleep: step(), device: 0, crowding: 1 }),
    transfer: () => 0,
    receive: () => 0,
    asleep: () => 0,
    held: () => 0,
    pin: () => 0,
    ...more,
  };
}

const run = (
  workers: number,
  draw: Draw,
  batches = 200,
  more: { prefetch?: number; machine?: typeof MANY_CORES } = {},
) =>
  simulate({
    setting: setting(workers, more.prefetch),
    machine: more.machine ?? MANY_CORES,
    contention: 0,
    storage: undefined,
    batches,
    draw,
  });

describe('a simulated DataLoader', () => {
  it('is no faster than its cores in a pass without end, however many workers begin with it', () => {
    const two = { cores: 2, physical: 2, others: 0 };
    const rate = (goesOn: boolean, batches: number) => {
      const draw = drawOf([40], [0]);
      const loader = { setting: setting(6), machine: two, contention: 0, storage: undefined, batches, draw };
      const simulated = simulate({ ...loader, goesOn });
      return simulated.batches / simulated.time;
    };
    expect(rate(true, 600) / (2 / 40)).toBeCloseTo(1, 1);
    expect(rate(false, 40)).toBeGreaterThan(1.05 * rate(true, 40));
  });

  it('prepares and consumes in turn without workers', () => {
    const { time, waitShare } = run(0, drawOf([30], [10]), 100);
    // The first batch is prepared before time is taken.
    expect(time).toBeCloseTo(100 * 10 + 99 * 30);
    expect(waitShare).toBeCloseTo((99 * 30) / time);
  });

  it('is as fast as its workers where they are slower than the consumer', () => {
    const { time, batches } = run(4, drawOf([40], [1]), 2000);
    expect(time / batches).toBeCloseTo(10, 0);
  });

  it('is as fast as its consumer where that is slower', () => {
    const { time, batches, waitShare } = run(4, drawOf([40], [15]), 2000);
    expect(time / batches).toBeCloseTo(15, 1);
    expect(waitShare).toBeLessThan(0.01);
  });

  it('is as fast as the cores where workers outnumber them', () => {
    const machine = { cores: 2, physical: 2, others: 0 };
    const { time, batches } = run(6, drawOf([40], [1]), 2000, { machine });
    expect(time / batches).toBeCloseTo(20, 0);
  });

  it('receives every batch, whoever waits for which', () => {
    const { time, batches } = run(4, drawOf([4], [1], { receive: () => 3 }), 2000);
    // Receiving and the step take turns in the consumer's thread.
    expect(time / batches).toBeCloseTo(4, 1);
  });

  it('hands out in the order of the orders, exactly as the recurrence has it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 40 }),
        (workers, prefetch, preparing, consume) => {
          const batches = 60;
          // Each batch's own preparation: the simulation draws them as batches are begun, so all workers share one time.
          const time = preparing[0] ?? 1;
          const measured = run(workers, drawOf([time], [consume]), batches, { prefetch });
          const [handed, ended, done]: [number[], number[], number[]] = [[], [], []];
          for (let batch = 0; batch < batches; batch++) {
            const ordered = batch < workers * prefetch ? 0 : (handed[batch - workers * prefetch] ?? 0);
            done[batch] = Math.max(ordered, done[batch - workers] ?? 0) + time;
            handed[batch] = Math.max(done[batch] ?? 0, ended[batch - 1] ?? 0);
            ended[batch] = (handed[batch] ?? 0) + consume;
          }
          const settled = Math.min(workers, batches >> 2);
          expect(measured.time).toBeCloseTo((ended[batches - 1] ?? 0) - (handed[settled] ?? 0), 4);
        },
      ),
    );
  });

  it('waits for the batch that is next while later ones are ready', () => {
    // Every fourth batch takes long, and always falls to the same worker.
    const { outOfOrder, waitShare } = run(4, drawOf([100, 10, 10, 10], [5]), 400);
    expect(outOfOrder).toBeGreaterThan(200);
    expect(waitShare).toBeGreaterThan(0.5);
  });

  it('loses nothing to order where there is none', () => {
    const draw = () => drawOf([100, 10, 10, 10], [5]);
    const free = simulate({
      setting: { ...setting(4), inOrder: false },
      machine: MANY_CORES,
      contention: 0,
      storage: undefined,
      batches: 400,
      draw: draw(),
    });
    expect(free.time).toBeLessThan(run(4, draw(), 400).time);
  });

  it('lets preparation go on while a device works', () => {
    const step = () => ({ cpu: 2, threads: 1, asleep: 0, device: 30, crowding: 1 });
    // Host and device take turns only where the host is slower: 10 + 2 against 30, then against 8.
    expect(run(0, drawOf([10], [0], { step }), 500).time / 500).toBeCloseTo(30, 0);
    const short = () => ({ ...step(), device: 8 });
    expect(run(0, drawOf([10], [0], { step: short }), 500).time / 500).toBeCloseTo(12, 0);
    expect(run(4, drawOf([10], [0], { step }), 500).time / 500).toBeCloseTo(30, 0);
  });

  it('pins in a thread of its own', () => {
    const draw = drawOf([10], [5], { pin: () => 8 });
    const pinned = simulate({
      setting: { ...setting(4), pinned: true },
      machine: MANY_CORES,
      contention: 0,
      storage: undefined,
      batches: 1000,
      draw,
    });
    // One thread pins all batches: 8 each is what binds, not the step of 5.
    expect(pinned.time / pinned.batches).toBeCloseTo(8, 1);
  });

  it('reads no faster than storage delivers', () => {
    const result = simulate({
      setting: setting(8),
      machine: MANY_CORES,
      contention: 0,
      storage: { bytes: 1000, rate: () => 50 },
      batches: 1000,
      draw: drawOf([1], [1]),
    });
    expect(result.time / result.batches).toBeGreaterThan(18);
    expect(result.time / result.batches).toBeLessThan(24);
  });

  it('receives later from a worker at work than from one that sleeps or has nothing to do', () => {
    const MS = 1e6;
    const held = { held: () => 12 * MS };
    const time = (preparing: Preparing, more: Partial<Draw>, step = 0) => {
      const result = run(1, drawOf([0], [step], { preparing: () => preparing, ...more }), 400);
      return result.time / result.batches / MS;
    };
    const [work, sleep] = [
      { cpu: 20 * MS, asleep: 0, pooled: 0 },
      { cpu: 0, asleep: 20 * MS, pooled: 0 },
    ];
    // A step of 15 ms and a receipt of up to 12: the worker is at its next batch most of the time.
    expect(time(work, {}, 15 * MS)).toBeCloseTo(20, 0);
    expect(time(work, held, 15 * MS)).toBeGreaterThan(24);
    expect(time(work, held, 15 * MS)).toBeLessThan(27);
    expect(time(sleep, held, 15 * MS)).toBeCloseTo(20, 0);
    // A worker that waits for orders sends at once.
    expect(time({ ...work, cpu: 2 * MS }, held, 30 * MS)).toBeLessThan(34);
  });

  it('lets a consumer wait for a core where the worker that it orders from gets the last one', () => {
    const MS = 1e6;
    const machine = { cores: 2, physical: 2, others: 0, wake: 3 * MS };
    const period = (contention: number, cores: number) => {
      const loader = { setting: setting(2), contention, storage: undefined, batches: 400 };
      const draw = drawOf([9 * MS], [6 * MS]);
      const result = simulate({ ...loader, machine: { ...machine, cores, physical: cores }, draw });
      return result.time / result.batches / MS;
    };
    expect(period(0, 2)).toBeCloseTo(6, 0);
    expect(period(0.5, 8)).toBeCloseTo(6, 0);
    expect(period(0.5, 2)).toBeGreaterThan(7);
    expect(period(1, 2)).toBeGreaterThan(period(0.5, 2));
  });

  it('begins with what first batches and the first step take more', () => {
    const warmUp = { preparing: { cpu: 300, asleep: 0 }, step: { cpu: 0, asleep: 70 } };
    const whole = (workers: number, more = {}) =>
      simulate({
        setting: setting(workers),
        machine: MANY_CORES,
        contention: 0,
        storage: undefined,
        batches: 50,
        draw: drawOf([10], [1]),
        ...more,
      }).whole;
    expect(whole(0, { warmUp }) - whole(0)).toBeCloseTo(370);
    // Both workers are late at the same time; one prepares while the consumer takes its first step.
    expect(whole(2, { warmUp }) - whole(2)).toBeGreaterThan(299);
    expect(whole(2, { warmUp }) - whole(2)).toBeLessThanOrEqual(370);
  });
});
