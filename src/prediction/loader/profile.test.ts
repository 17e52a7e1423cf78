import { describe, expect, it } from 'vitest';
import { newBatch } from '../../analysis/batches/batch.ts';
import type { BatchFacts } from '../../analysis/batches/fold.ts';
import type { MachineUse } from '../../analysis/batches/machine-use.ts';
import type { Host } from '../../model/host.ts';
import { profileOf } from './profile.ts';

const MS = 1e6;
const host: Host = {
  platform: 'linux',
  arch: 'x64',
  kernel: '6',
  cpuModel: 'a',
  coresPresent: 4,
  coresUsable: 4,
  coresLimit: 'none',
  coresPhysical: 2,
  memoryPresent: 1e10,
  memoryUsable: 1e10,
  memoryLimit: 'none',
  runtime: 'python',
};
const idle: MachineUse = {
  processes: [],
  own: () => 1,
  all: () => Number.NaN,
  memoryAvailable: Number.NaN,
  sharedSpace: Number.NaN,
};

interface Times {
  readonly prepare: number;
  readonly cpu: number;
  readonly queued: number;
  readonly consume: number;
  readonly consumeCpu: number;
}

/** Batches one after the other, each waited for: prepared, then 1 ms on its way, then consumed. */
function batchesOf(count: number, times: Times, workers: number) {
  let now = 0;
  return Array.from({ length: count }, (_, number) => {
    const batch = newBatch('loader', 1, number);
    const waitStart = now;
    const prepareEnd = waitStart + times.prepare * MS;
    now = prepareEnd + (workers === 0 ? 0 : MS);
    Object.assign(batch, {
      pass: 0,
      preparer: workers === 0 ? 1 : 2,
      task: number,
      dispatched: waitStart - MS,
      waitStart,
      prepareStart: waitStart,
      prepareEnd,
      cpu: times.cpu * MS,
      runDelay: times.queued * MS,
      elements: 4,
      bytes: number % 4 === 0 ? 4000 : Number.NaN,
      arrived: now,
      waitEnd: now,
      consumeEnd: now + times.consume * MS,
      consumeCpu: times.consumeCpu * MS,
      consumeQueued: 0,
      waitCpu: (times.cpu + 3) * MS,
    });
    now += times.consume * MS;
    return batch;
  });
}

const factsOf = (batches: BatchFacts['batches'], workers: number): BatchFacts => ({
  batches,
  passes: [],
  beginnings: [],
  preparers: [],
  ahead: [],
  sharedSpace: undefined,
  operators: new Map(),
  slowest: [],
  loaders: new Map([
    ['loader', { loader: 'loader', location: undefined, settings: { num_workers: workers, length: 4000 } }],
  ]),
  operatorFacts: new Map(),
  torch: undefined,
  python: undefined,
  process: undefined,
});

const TIMES = { prepare: 10, cpu: 6, queued: 1, consume: 4, consumeCpu: 1 };

describe('what a recording says about a loader', () => {
  it('divides preparation and step into work, sleep and waiting for a core', () => {
    const profile = profileOf('loader', { facts: factsOf(batchesOf(40, TIMES, 1), 1), use: idle, host });
    expect(profile?.preparing[0]).toEqual({ cpu: 6 * MS, asleep: 3 * MS, pooled: 0 });
    expect(profile?.steps[0]).toEqual({ cpu: MS, threads: 1, asleep: 3 * MS, device: 0 });
    expect(profile).toMatchObject({ batchSize: 4, batchBytes: 4000, passBatches: 1000, passes: 1 });
    expect(profile?.handOver.isGuessed).toBe(false);
  });

  it('counts a step that keeps several cores busy by its threads', () => {
    const batches = batchesOf(40, { ...TIMES, queued: 0, consumeCpu: 10 }, 1);
    const profile = profileOf('loader', { facts: factsOf(batches, 1), use: idle, host });
    expect(profile?.steps[0]).toEqual({ cpu: 4 * MS, threads: 2.5, asleep: 0, device: 0 });
  });

  it('takes a step beside busy preparers for what it would be alone', () => {
    // 9 of 12 ms a batch is in preparation; with a team of two, 2.75 threads want two cores.
    const times = { prepare: 7, cpu: 7, queued: 0, consume: 4, consumeCpu: 8 };
    const batches = batchesOf(40, times, 1).map(batch => ({ ...batch, prepareStart: batch.prepareEnd - 9 * MS }));
    const two = { ...host, coresUsable: 2, coresPhysical: 2 };
    const alone = profileOf('loader', { facts: factsOf(batches, 1), use: idle, host })?.steps[0];
    const crowded = profileOf('loader', { facts: factsOf(batches, 1), use: idle, host: two })?.steps[0];
    expect(alone).toMatchObject({ cpu: 4 * MS, threads: 2 });
    expect(crowded?.cpu).toBeGreaterThan(2 * MS);
    expect(crowded?.cpu).toBeLessThan(3 * MS);
  });

  it('leaves a pool out of steps whose work is a device, where it was awake from the preparation', () => {
    const batches = (workers: number) =>
      batchesOf(40, { ...TIMES, consumeCpu: 10 }, workers).map(batch => ({ ...batch, deviceStep: 4 * MS }));
    const threads = (workers: number) =>
      profileOf('loader', { facts: factsOf(batches(workers), workers), use: idle, host })?.steps[0]?.threads;
    expect([threads(0), threads(1)]).toEqual([1, 2.5]);
  });

  it('knows how long a device works on a step, also of those that were not timed', () => {
    const batches = batchesOf(40, TIMES, 1).map((batch, at) =>
      at % 4 === 0 ? { ...batch, deviceStep: 7 * MS } : batch,
    );
    const profile = profileOf('loader', { facts: factsOf(batches, 1), use: idle, host });
    expect(new Set(profile?.steps.map(({ device }) => device))).toEqual(new Set([7 * MS]));
  });

  it('finds what a pool of threads did beside a preparation without workers', () => {
    const profile = profileOf('loader', { facts: factsOf(batchesOf(40, TIMES, 0), 0), use: idle, host });
    expect(profile?.preparing[0]?.pooled).toBe(3 * MS);
    expect(profile?.handOver.isGuessed).toBe(true);
  });

  it('divides batches too cheap to meter like those that were', () => {
    const batches = batchesOf(40, TIMES, 1).map((batch, at) => (at % 8 === 0 ? batch : { ...batch, cpu: Number.NaN }));
    const profile = profileOf('loader', { facts: factsOf(batches, 1), use: idle, host });
    expect(profile?.preparing[1]?.cpu).toBeCloseTo(6 * MS, 3);
    expect(profile?.preparing[1]?.asleep).toBeCloseTo(3 * MS, 3);
  });

  it('measures whole passes, the start and the end of their workers included', () => {
    const batches = batchesOf(20, TIMES, 1);
    const facts = {
      ...factsOf(batches, 1),
      beginnings: [{ loader: 'loader', consumer: 1, pass: 0, start: -101 * MS, end: -MS }],
      passes: [{ loader: 'loader', consumer: 1, pass: 0, start: -101 * MS, end: 320 * MS }],
    };
    const profile = profileOf('loader', { facts, use: idle, host });
    expect(profile).toMatchObject({ passBatches: 20, workerCost: { each: 120 * MS, start: MS } });
    // 20 batches of 15 ms, a worker that takes 100 ms to start and 20 to end, and a millisecond of ordering.
    expect(profile?.measured).toBeCloseTo((20 * 4) / 0.421, 6);
  });

  it('carries a pass that was cut short on to its whole length', () => {
    const profile = profileOf('loader', { facts: factsOf(batchesOf(41, TIMES, 1), 1), use: idle, host });
    // The first is waited for; all come at the pace of those behind four of warm-up, which is that of 37 steps and 36 waits.
    const pace = (37 * 4) / (37 * 0.004 + 36 * 0.011);
    expect(profile?.measured).toBeCloseTo(4000 / (0.012 + 4000 / pace), 3);
  });

  it('takes the pace for the rate where nobody knows how long a pass is', () => {
    const facts = factsOf(batchesOf(41, TIMES, 1), 1);
    const endless = new Map([['loader', { loader: 'loader', location: undefined, settings: { num_workers: 1 } }]]);
    const profile = profileOf('loader', { facts: { ...facts, loaders: endless }, use: idle, host });
    expect(profile?.measured).toBeCloseTo((37 * 4) / (37 * 0.004 + 36 * 0.011), 3);
  });

  it('finds what other programs wanted of the cores, by counting or by queueing', () => {
    const of = (times: Times, use: MachineUse) =>
      profileOf('loader', { facts: factsOf(batchesOf(40, times, 1), 1), use, host })?.machine;
    expect(of({ ...TIMES, queued: 0 }, idle)).toEqual({ cores: 4, physical: 2, others: 0 });
    // Half of the time in the queue: of four cores this program had one, and others had three and wanted six.
    expect(of({ ...TIMES, cpu: 4, queued: 4 }, idle)?.others).toBeCloseTo(6);
    expect(of({ ...TIMES, queued: 0 }, { ...idle, all: () => 3 })?.others).toBeCloseTo(2);
  });

  it('knows ranks of a training from one program after another', () => {
    const first = batchesOf(40, { ...TIMES, queued: 0 }, 1);
    const later = (by: number) =>
      first.map(batch => ({
        ...batch,
        consumer: 9,
        waitStart: batch.waitStart + by,
        waitEnd: batch.waitEnd + by,
        prepareStart: batch.prepareStart + by,
        prepareEnd: batch.prepareEnd + by,
        consumeEnd: batch.consumeEnd + by,
      }));
    const of = (by: number) => profileOf('loader', { facts: factsOf([...first, ...later(by)], 1), use: idle, host });
    expect(of(MS)).toMatchObject({ ranks: 2, machine: { cores: 2, physical: 1 } });
    expect(of(1000 * MS)).toMatchObject({ ranks: 1, machine: { cores: 4 } });
    const more = (of(MS)?.measured ?? 0) / (of(1000 * MS)?.measured ?? 1);
    expect(more).toBeGreaterThan(1.9);
    expect(more).toBeLessThan(2.1);
  });

  it('has nothing to say about few batches', () => {
    expect(profileOf('loader', { facts: factsOf(batchesOf(2, TIMES, 1), 1), use: idle, host })).toBeUndefined();
  });
});
