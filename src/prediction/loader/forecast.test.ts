import { describe, expect, it } from 'vitest';
import { isNarrow } from '../../math/narrow-interval.ts';
import { bytes, cores, ns } from '../../model/units.ts';
import { assumptionsOf, forecastLoader, memoryOf, ownError } from './forecast.ts';
import { preparing, profile, step } from './profile.fixture.ts';

const at = (workers: number, prefetch = 2) => ({ workers, prefetch, pinned: false, persistent: false, inOrder: true });
const mixed = [
  ...Array.from({ length: 25 }, () => preparing(4, 2)),
  ...Array.from({ length: 5 }, () => preparing(40, 2)),
];

describe('a forecast of a loader', () => {
  it('is the same for the same recording', () => {
    const recorded = profile({ preparing: mixed });
    expect(forecastLoader(recorded, at(3))).toEqual(forecastLoader(recorded, at(3)));
  });

  it('grows with workers until the consumer binds', () => {
    const recorded = profile({ steps: [step(0, 2), step(0, 2)] });
    const rates = [1, 2, 4, 8].map(workers => forecastLoader(recorded, at(workers)).rate.estimate);
    expect(rates[1]).toBeGreaterThan(1.9 * (rates[0] ?? 0));
    expect(rates[3]).toBeCloseTo(4000, -1);
    expect(forecastLoader(recorded, at(12)).bound).toBe('consumer');
  });

  it('stops at the cores, and goes on with more of them', () => {
    const recorded = profile({ cores: 2 });
    const here = forecastLoader(recorded, at(8));
    expect(here).toMatchObject({ bound: 'cores' });
    expect(here.rate.estimate).toBeCloseTo(1600, -2);
    expect(forecastLoader(recorded, at(8), { cores: cores(8) }).rate.estimate).toBeGreaterThan(
      3.5 * here.rate.estimate,
    );
  });

  it('leaves workers that sleep their time, whatever the cores', () => {
    const recorded = profile({ cores: 1, preparing: [preparing(0, 10), preparing(0, 10)] });
    expect(forecastLoader(recorded, at(4)).rate.estimate).toBeGreaterThan(3000);
  });

  it('has a band that holds its estimate, wider where batches differ', () => {
    const [even, uneven] = [profile(), profile({ preparing: mixed })].map(each => forecastLoader(each, at(2)).rate);
    for (const rate of [even, uneven]) {
      expect(rate?.low).toBeLessThanOrEqual(rate?.estimate ?? 0);
      expect(rate?.high).toBeGreaterThanOrEqual(rate?.estimate ?? 0);
    }
    const width = (rate: typeof even): number => ((rate?.high ?? 0) - (rate?.low ?? 0)) / (rate?.estimate ?? 1);
    expect(width(uneven)).toBeGreaterThan(2 * width(even));
  });

  it('widens the band by how far the model is off at the recorded setting', () => {
    const exact = forecastLoader(profile(), at(4)).rate;
    const model = forecastLoader(profile(), at(2)).rate.estimate;
    const slow = profile({}, { measured: 0.8 * model });
    expect(ownError(slow)).toBeCloseTo(0.8, 5);
    expect(forecastLoader(slow, at(4)).rate.low).toBeCloseTo(0.8 * exact.low, 5);
    expect(forecastLoader(slow, at(4)).rate.high).toBeCloseTo(exact.high / 0.8, 5);
    expect(forecastLoader(slow, at(4)).rate.estimate).toBe(exact.estimate);
  });

  it('counts what it takes to start workers: in a short pass, many do not pay', () => {
    const cost = { passBatches: 20, passes: 4, workerCost: { each: 50e6, start: 100e6 } };
    const recorded = profile({ steps: [step(0, 2), step(0, 2)] }, cost);
    const rate = (workers: number, persistent = false): number =>
      forecastLoader(recorded, { ...at(workers), persistent }).rate.estimate;
    // 20 batches of 8 in 150 ms of start, 10 ms for the first, and 19 more of 10 ms and the last step.
    expect(rate(1)).toBeCloseTo(160 / 0.352, 0);
    expect(rate(2)).toBeCloseTo(160 / 0.304, -1);
    expect(rate(8)).toBeLessThan(rate(2));
    // Those that stay are started once in four passes.
    expect(rate(8, true)).toBeGreaterThan(1.5 * rate(2));
  });

  it('counts the end of workers only where they end with their pass', () => {
    const start = (persistent: boolean): number => {
      const workerCost = { each: 50e6, fixed: 20e6, ending: 0.4, start: 100e6 };
      return forecastLoader(profile({}, { passBatches: 20, workerCost }), { ...at(3), persistent }).start;
    };
    expect(start(false)).toBeCloseTo(100e6 + 170e6, 0);
    expect(start(true)).toBeCloseTo(100e6 + 0.6 * 170e6, 0);
  });

  it('leaves open how much of what a pool did was work, where the main process prepared', () => {
    const pooled = (ms: number) =>
      profile({ workers: 0, preparing: [{ ...preparing(10, 0), pooled: ms * 1e6 }], steps: [step(0, 0)] });
    const { estimate, low, high } = forecastLoader(pooled(5), at(1)).rate;
    // All of it, or nothing: its threads stay awake.
    expect(low / (8 / 0.015)).toBeCloseTo(1, 2);
    expect(high / (8 / 0.01)).toBeCloseTo(1, 2);
    expect(estimate / (8 / 0.0125)).toBeCloseTo(1, 1);
    // So many threads that were awake all the time may have done anything.
    expect(isNarrow(forecastLoader(pooled(150), at(1)).rate)).toBe(false);
    expect(isNarrow(forecastLoader(pooled(150), at(0)).rate)).toBe(true);
  });

  it('slows threads down beside each other as the machine was measured to', () => {
    const paces = [
      { threads: 1, compute: 1, memory: 1 },
      { threads: 8, compute: 0.8, memory: 0.4 },
    ];
    const of = (busy: number, device = 0) =>
      profile(
        { workers: busy, steps: [{ ...step(0, 0), device: device * 1e6 }] },
        { busy, machine: { cores: 8, physical: 8, others: 0, paces } },
      );
    const rate = (recorded: number, workers: number) => forecastLoader(of(recorded), at(workers)).rate;
    // Alone a batch of 8 takes 10 ms; beside seven others up to two and a half times that.
    expect(rate(1, 1).estimate).toBeCloseTo(800, -1);
    expect(rate(1, 8).high / (8 * 800 * 0.8)).toBeCloseTo(1, 1);
    expect(rate(1, 8).low / (8 * 800 * 0.4)).toBeCloseTo(1, 1);
    // What was recorded beside seven others is that already.
    expect(rate(8, 8).estimate / 6400).toBeCloseTo(1, 1);
    expect(rate(8, 1).estimate).toBeGreaterThan(800 * 1.2);
    // The step of a device takes as long as it did: what became slower is waited for.
    const { waitShare, waitBand } = forecastLoader(of(1, 1), at(8));
    expect(waitShare).toBeGreaterThan(0.25);
    expect(waitBand.low).toBeLessThan(waitShare);
    expect(waitBand.high).toBeGreaterThan(waitShare);
  });

  it('has a band of waiting that holds what a program waits that suffers least, and one that suffers most', () => {
    const paces = [
      { threads: 1, compute: 1, memory: 1 },
      { threads: 16, compute: 0.95, memory: 0.35 },
    ];
    const machine = { cores: 16, physical: 16, others: 0, paces };
    const steps = [{ ...step(0.5, 0), device: 10e6 }];
    const recorded = profile({ workers: 2, preparing: [preparing(120, 0)], steps }, { busy: 2, machine });
    const { waitBand, rate } = forecastLoader(recorded, at(16));
    // Sixteen workers give a batch every 7.5 ms where they do not slow each other down, and one every 20 ms where memory binds: of a step
    // of 10 ms nothing is waiting, or half. The recorded two were slower than one alone by next to nothing.
    expect(waitBand.low).toBeLessThan(0.02);
    expect(waitBand.high).toBeGreaterThan(0.5);
    expect(rate.low).toBeLessThan(8 / 0.0195);
    expect(rate.high).toBeGreaterThan(8 / 0.0101);
  });

  it('tells what a pass takes for having any workers from what each of them takes', () => {
    const of = (fixed: number, each: number) =>
      profile({ steps: [step(0, 2)] }, { passBatches: 20, epochs: 1, workerCost: { fixed, each, start: 0 } });
    const time = (recorded: ReturnType<typeof of>, workers: number) => forecastLoader(recorded, at(workers)).start;
    expect([1, 4].map(workers => time(of(20e6, 5e6), workers))).toEqual([25e6, 40e6]);
    expect([1, 4].map(workers => time(of(0, 25e6), workers))).toEqual([25e6, 100e6]);
  });

  it('reckons with fresh shared memory where workers are new, and without it where they go', () => {
    const handOver = {
      transfer: [0],
      receive: [0],
      pin: [],
      asleep: [0],
      held: { receive: [0], isGuessed: false },
      writtenShared: 5e6,
      readShared: 3e6,
      isSharingGuessed: false,
    };
    const from = (workers: number) =>
      profile(
        { workers, steps: [step(4, 0)], cores: 4 },
        { handOver: { ...handOver, isGuessed: workers === 0 }, batchBytes: 1e7 },
      );
    const rate = (recorded: number, workers: number) => forecastLoader(from(recorded), at(workers)).rate.estimate;
    expect(rate(0, 1)).toBeCloseTo(8 / 0.015, -1);
    // Three workers outrun the consumer, whose steps take longer by what it reads.
    expect(rate(0, 3)).toBeCloseTo(8 / 0.007, -1);
    expect(rate(1, 1)).toBeCloseTo(8 / 0.01, -1);
    expect(rate(1, 0)).toBeCloseTo(8 / (0.005 + 0.001), -2);
  });

  it('spares what unpacking sleeps where there are no workers', () => {
    const asleep = profile({ steps: Array.from({ length: 30 }, () => step(0, 5)) });
    const slow = { ...asleep, handOver: { ...asleep.handOver, asleep: [50e6] } };
    expect(forecastLoader(slow, at(0)).rate.estimate).toBeGreaterThan(2 * forecastLoader(slow, at(2)).rate.estimate);
  });

  it('expects another run to differ as blocks of the recording do', () => {
    const width = (cpuOf: (batch: number) => number, count = 60): number => {
      const batches = Array.from({ length: count }, (_, batch) => preparing(cpuOf(batch), 0));
      const { low, high } = forecastLoader(profile({ preparing: batches, steps: [step(0, 1)] }), at(2)).rate;
      return high / low;
    };
    expect(width(() => 10)).toBeLessThan(1.01);
    // The same batches: the machine was slower in the second half, or every other batch is a slower one.
    const [drifting, alternating] = [width(batch => (batch < 30 ? 9 : 11)), width(batch => (batch % 2 === 0 ? 9 : 11))];
    expect(drifting).toBeGreaterThan(1.4);
    expect(alternating).toBeLessThan(1.1);
    // Batches that do not fill the blocks differ one by one, and fewer of them tell less.
    const few = [23, 11, 5].map(count => width(batch => (batch % 2 === 0 ? 9 : 11), count));
    expect(few[0]).toBeGreaterThan(1.2);
    expect(few[1]).toBeGreaterThan(few[0] ?? 0);
    expect(few[2]).toBeGreaterThan(few[1] ?? 0);
  });

  it('takes of what a pool did the part that was measured for work', () => {
    const recorded = profile({ workers: 0, preparing: [{ ...preparing(10, 0), pooled: 10e6 }], steps: [step(0, 0)] });
    const measured = { ...recorded, pool: { threads: 2, least: 0, most: 0.2 } };
    const [open, told] = [recorded, measured].map(each => forecastLoader(each, at(1)).rate);
    expect(told?.estimate).toBeCloseTo(8 / 0.011, -1);
    expect(told?.low).toBeGreaterThan(1.3 * (open?.low ?? 0));
  });

  it('leaves open how much a team was held up beside workers, where they go', () => {
    const of = (crowding: number) => profile({ workers: 2, cores: 2, steps: [{ ...step(10, 0, 2), crowding }] });
    const [free, held] = [of(1), of(3)].map(each => forecastLoader(each, at(0)).rate);
    expect(held?.estimate).toBeGreaterThan(1.1 * (free?.estimate ?? 0));
    expect((held?.high ?? 0) / (held?.low ?? 1)).toBeGreaterThan(1.2 * ((free?.high ?? 0) / (free?.low ?? 1)));
  });

  it('slows a team of threads down beside workers, and nobody else', () => {
    const of = (threads: number) => profile({ workers: 0, steps: [step(10 / threads, 0, threads)], cores: 2 });
    const rate = (threads: number) => forecastLoader(of(threads), at(2)).rate.estimate;
    expect(rate(2)).toBeLessThan(0.8 * rate(1));
  });

  it('follows step and batch size', () => {
    const recorded = profile({ preparing: [preparing(1, 0)], steps: [step(1, 1), step(1, 1)] });
    expect(forecastLoader(recorded, at(4), { step: ns(8e6) }).rate.estimate).toBeCloseTo(1000, -2);
    // Twice the batch takes twice as long: the rate of elements stays.
    const twice = forecastLoader(recorded, at(4), { batchSize: 16 }).rate.estimate;
    expect(twice / forecastLoader(recorded, at(4)).rate.estimate).toBeCloseTo(1, 1);
  });

  it('is bound by storage that is named', () => {
    const recorded = profile({}, { askedPerBatch: 8e6 });
    const disk = { points: [{ readers: 1, bytesPerSecond: 100e6 }], cold: true };
    const { rate, bound } = forecastLoader(recorded, at(8), { disk });
    // 12.5 batches of 8 elements a second.
    expect(rate.estimate).toBeGreaterThan(80);
    expect(rate.estimate).toBeLessThan(110);
    expect(bound).toBe('storage');
  });

  it('knows what workers and their batches take of memory', () => {
    const recorded = profile({}, { batchBytes: 1e8, sharedSpace: 1e9, memoryAvailable: 3e9 });
    expect(memoryOf(recorded, at(2))).toMatchObject({ sharedMemory: 6e8, workers: 2e8, short: undefined });
    expect(memoryOf(recorded, at(4)).short).toBe('shared-memory');
    expect(memoryOf({ ...recorded, sharedSpace: Number.NaN }, at(14)).short).toBe('memory');
    expect(memoryOf({ ...recorded, sharedSpace: Number.NaN }, at(14), { memory: bytes(1e10) }).short).toBeUndefined();
    expect(memoryOf(recorded, at(0))).toMatchObject({ sharedMemory: 0, workers: 0, short: undefined });
  });

  it('says what it takes for granted', () => {
    expect(assumptionsOf(profile())).toEqual(['storage-keeps-up']);
    const doubtful = profile(
      { preparing: [{ ...preparing(10, 0), pooled: 5e6 }], steps: [step(2, 0, 2)] },
      { machine: { cores: 8, physical: 4, others: 1 }, batchBytes: Number.NaN },
    );
    expect(assumptionsOf(doubtful, { batchSize: 4 })).toEqual([
      'few-batches',
      'storage-keeps-up',
      'pool-in-worker',
      'team-beside-workers',
      'step-grows-with-batch',
      'second-threads',
      'others-stay',
      'memory-unknown',
    ]);
  });
});
