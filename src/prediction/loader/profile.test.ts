import { describe, expect, it } from 'vitest';
import { OperatorTimes } from '../../analysis/batches/element-times.ts';
import type { BatchFacts } from '../../analysis/batches/fold.ts';
import type { MachineUse } from '../../analysis/batches/machine-use.ts';
import type { Host } from '../../model/host.ts';
import { OperatorFactSchema } from '../../model/loader-facts.ts';
import { measuredOver, profileOf } from './profile.ts';
import { batchesOf, factsOf, host, idle, MS, recordingOf, type Times } from './recording.fixture.ts';

const TIMES = { prepare: 10, cpu: 6, queued: 1, consume: 4, consumeCpu: 1 };

describe('what a recording says about a loader', () => {
  it('divides preparation and step into work, sleep and waiting for a core', () => {
    const profile = profileOf('loader', { facts: factsOf(batchesOf(40, TIMES, 1), 1), use: idle, host, isCut: true });
    expect(profile?.preparing[0]).toEqual({ cpu: 6 * MS, asleep: 3 * MS, pooled: 0 });
    expect(profile?.steps[0]).toEqual({ cpu: MS, threads: 1, asleep: 3 * MS, device: 0, crowding: 1 });
    expect(profile).toMatchObject({ batchSize: 4, batchBytes: 4000, passBatches: 1000, passes: 1 });
    expect(profile?.handOver.isGuessed).toBe(false);
  });

  it('counts a step that keeps several cores busy by its threads', () => {
    const batches = batchesOf(40, { ...TIMES, queued: 0, consumeCpu: 10 }, 1);
    const profile = profileOf('loader', { facts: factsOf(batches, 1), use: idle, host, isCut: true });
    expect(profile?.steps[0]).toEqual({ cpu: 4 * MS, threads: 2.5, asleep: 0, device: 0, crowding: 1 });
  });

  it('takes a step beside busy preparers for what it would be alone', () => {
    // 9 of 12 ms a batch is in preparation; with a team of two, 2.75 threads want two cores.
    const times = { prepare: 7, cpu: 7, queued: 0, consume: 4, consumeCpu: 8 };
    const batches = batchesOf(40, times, 1).map(batch => ({ ...batch, prepareStart: batch.prepareEnd - 9 * MS }));
    const two = { ...host, coresUsable: 2, coresPhysical: 2 };
    const alone = profileOf('loader', { facts: factsOf(batches, 1), use: idle, host, isCut: true })?.steps[0];
    const crowded = profileOf('loader', { facts: factsOf(batches, 1), use: idle, host: two, isCut: true })?.steps[0];
    expect(alone).toMatchObject({ cpu: 4 * MS, threads: 2 });
    const least = (crowded?.cpu ?? 0) / (crowded?.crowding ?? 0);
    expect(least).toBeGreaterThan(2 * MS);
    expect(least).toBeLessThan(3 * MS);
  });

  it('leaves a pool out of steps whose work is a device, where it was awake from the preparation', () => {
    const batches = (workers: number) =>
      batchesOf(40, { ...TIMES, consumeCpu: 10 }, workers).map(batch => ({ ...batch, deviceStep: 4 * MS }));
    const threads = (workers: number) =>
      profileOf('loader', { facts: factsOf(batches(workers), workers), use: idle, host, isCut: true })?.steps[0]
        ?.threads;
    expect([threads(0), threads(1)]).toEqual([1, 2.5]);
  });

  it('knows how long a device works on a step, also of those that were not timed', () => {
    const batches = batchesOf(40, TIMES, 1).map((batch, at) =>
      at % 4 === 0 ? { ...batch, deviceStep: 7 * MS } : batch,
    );
    const profile = profileOf('loader', { facts: factsOf(batches, 1), use: idle, host, isCut: true });
    expect(new Set(profile?.steps.map(({ device }) => device))).toEqual(new Set([7 * MS]));
  });

  it('finds what a pool of threads did beside a preparation without workers', () => {
    const profile = profileOf('loader', { facts: factsOf(batchesOf(40, TIMES, 0), 0), use: idle, host, isCut: true });
    expect(profile?.preparing[0]?.pooled).toBe(3 * MS);
    expect(profile?.handOver.isGuessed).toBe(true);
  });

  it('divides batches too cheap to meter like those that were', () => {
    const batches = batchesOf(40, TIMES, 1).map((batch, at) => (at % 8 === 0 ? batch : { ...batch, cpu: Number.NaN }));
    const profile = profileOf('loader', { facts: factsOf(batches, 1), use: idle, host, isCut: true });
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
    const profile = profileOf('loader', { facts, use: idle, host, isCut: true });
    expect(profile).toMatchObject({ passBatches: 20, workerCost: { each: 120 * MS, start: MS } });
    // 20 batches of 15 ms, a worker that takes 100 ms to start and 20 to end, and a millisecond of ordering.
    expect(profile?.measured).toBeCloseTo((20 * 4) / 0.421, 6);
  });

  it('carries a pass that was cut short on to its whole length', () => {
    const profile = profileOf('loader', { facts: factsOf(batchesOf(41, TIMES, 1), 1), use: idle, host, isCut: true });
    // The first is waited for; all come at the pace of those behind four of warm-up, which is that of 37 steps and 36 waits.
    const pace = (37 * 4) / (37 * 0.004 + 36 * 0.011);
    expect(profile?.measured).toBeCloseTo(4000 / (0.012 + 4000 / pace), 3);
  });

  it('takes the pace for the rate where nobody knows how long a pass is', () => {
    const facts = factsOf(batchesOf(41, TIMES, 1), 1);
    const endless = new Map([['loader', { loader: 'loader', location: undefined, settings: { num_workers: 1 } }]]);
    const profile = profileOf('loader', { facts: { ...facts, loaders: endless }, use: idle, host, isCut: true });
    expect(profile?.measured).toBeCloseTo((37 * 4) / (37 * 0.004 + 36 * 0.011), 3);
  });

  describe('of workers that take three seconds to start', () => {
    const short = { workers: 2, batches: 100, start: 3000, prepare: 40, step: 10, persistent: true };
    const of = (wish: Partial<typeof short> & { isWhole?: boolean; passes?: number }, isCut: boolean) => {
      const setting = { persistent_workers: wish.persistent ?? true, start_method: 'spawn' };
      const facts = { ...factsOf([], 2, setting), ...recordingOf({ ...short, ...wish }) };
      return profileOf('loader', { facts, use: idle, host, isCut });
    };
    // Two workers give a batch of four every 20 ms: a pass of 100 takes 2 s, its 1,000th part nothing worth counting.
    const [pass, paced] = [400, 200];

    it('counts the start once where they stay, whatever part of the recording it was', () => {
      // Nobody knows how often the program goes through a pass of 1,000 batches.
      const cut = of({}, true);
      expect(cut).toMatchObject({ epochs: undefined, passBatches: 1000, startMethod: 'spawn' });
      expect(cut?.workerCost).toEqual({ each: 0, start: 3000 * MS });
      expect(cut?.measured).toBeCloseTo(paced, -1);
      // In three passes of which it has the end it is a third of a pass each.
      const three = of({ passes: 3, isWhole: true }, false);
      expect(three).toMatchObject({ epochs: 3, passBatches: 100 });
      expect(three?.measured).toBeCloseTo((3 * pass) / (3 + (3 * pass) / paced), -1);
      if (three !== undefined) expect(measuredOver(three, 300)).toBeCloseTo(paced, -1);
    });

    it('counts the start in every pass where they do not', () => {
      const cut = of({ persistent: false }, true);
      expect(cut?.measured).toBeCloseTo(4000 / (3 + 4000 / paced), -1);
      const three = of({ persistent: false, passes: 3, isWhole: true }, false);
      expect(three?.measured).toBeCloseTo(pass / (3 + pass / paced), -1);
    });

    it('takes a pass that its consumer left for as long as it was', () => {
      expect(of({ persistent: false }, false)).toMatchObject({ epochs: 1, passBatches: 100 });
    });
  });

  it('finds what other programs wanted of the cores, by counting or by queueing', () => {
    const of = (times: Times, use: MachineUse) =>
      profileOf('loader', { facts: factsOf(batchesOf(40, times, 1), 1), use, host, isCut: true })?.machine;
    expect(of({ ...TIMES, queued: 0 }, idle)).toEqual({ cores: 4, physical: 2, others: 0 });
    // Half of the time in the queue: of four cores this program had one, and others had three and wanted six.
    expect(of({ ...TIMES, cpu: 4, queued: 4 }, idle)?.others).toBeCloseTo(6);
    expect(of({ ...TIMES, queued: 0 }, { ...idle, all: () => 3 })?.others).toBeCloseTo(2);
  });

  it('takes for its own what its batches say, where processes were counted too seldom for it', () => {
    // In 15 ms a batch takes 10 ms of its worker's CPU and 4 of the consumer's; nobody counted the worker's process.
    const times = { prepare: 10, cpu: 10, queued: 0, consume: 4, consumeCpu: 4 };
    const use = { ...idle, own: () => 4 / 15, all: () => 1 };
    const of = profileOf('loader', { facts: factsOf(batchesOf(40, times, 1), 1), use, host, isCut: true });
    expect(of?.machine.others).toBeLessThan(0.1);
  });

  it('finds what the program gets of cores that are divided among sessions', () => {
    const use = { ...idle, own: () => 0.4, all: () => 4 };
    const of = (coresBySession: boolean) => {
      const facts = factsOf(batchesOf(40, { ...TIMES, cpu: 2, queued: 6 }, 1), 1);
      return profileOf('loader', { facts, use, host: { ...host, coresBySession }, isCut: true })?.machine;
    };
    expect(of(true)?.ownShare).toBeCloseTo(0.4);
    expect(of(false)?.ownShare).toBeUndefined();
  });

  it('takes the wait of who wakes up on a busy machine for part of the sleep, not for a crowd', () => {
    // Of 10 ms it sleeps 5.9, and 4 pass until it gets a core for the tenth of a millisecond it needs.
    const times = { prepare: 10, cpu: 0.1, queued: 4, consume: 4, consumeCpu: 0 };
    const busy = { ...idle, own: () => 0.1, all: () => 3.9 };
    const of = profileOf('loader', { facts: factsOf(batchesOf(40, times, 1), 1), use: busy, host, isCut: true });
    expect(of?.preparing[0]?.asleep).toBeGreaterThan(9.5 * MS);
    expect(of?.machine.others).toBeGreaterThan(3.5);
    expect(of?.machine.others).toBeLessThan(12);
  });

  it('allows a pool what torch may have done, and nothing of opening and decoding', () => {
    const operators = new Map([
      ['decode', Object.assign(new OperatorTimes(), { self: 3 })],
      ['Normalize', Object.assign(new OperatorTimes(), { self: 1 })],
    ]);
    const facts = (threads: number): BatchFacts => ({
      ...factsOf(batchesOf(40, TIMES, 0), 0),
      operators: new Map([['loader', operators]]),
      operatorFacts: new Map([['decode', OperatorFactSchema.parse({ operator: 'decode', kind: 'decode' })]]),
      process: { threads },
    });
    const pooled = (threads: number) =>
      profileOf('loader', { facts: facts(threads), use: idle, host, isCut: true })?.preparing[0]?.pooled;
    // Of 6 ms a quarter, for each further thread; its threads were awake for 3 ms.
    expect([1, 2, 16].map(pooled)).toEqual([0, 1.5 * MS, 3 * MS]);
  });

  it('takes what workers would cost from what was measured beside it, where there were none', () => {
    const worker = { bytes: 8000, each: 5 * MS, start: 7 * MS, transfer: 100, receive: 200, written: 300, read: 500 };
    const measured = { ...host, costs: { busy: [{ threads: 1, compute: 1, memory: 1 }], worker } };
    const of = (workers: number, on: Host) =>
      profileOf('loader', { facts: factsOf(batchesOf(40, TIMES, workers), workers), use: idle, host: on, isCut: true });
    expect(of(0, measured)).toMatchObject({
      // Batches are half as large.
      handOver: { transfer: [100], receive: [200], writtenShared: 150, readShared: 250, isGuessed: false },
      workerCost: { each: 5 * MS, start: 7 * MS },
      machine: { paces: measured.costs.busy },
    });
    expect(of(0, host)?.handOver.isGuessed).toBe(true);
    // What a pass takes for having any workers is told apart from what each of them takes, which the recording does not do.
    const fixed = { ...measured, costs: { ...measured.costs, wake: 9, worker: { ...worker, fixed: 2 * MS } } };
    expect(of(0, fixed)).toMatchObject({ workerCost: { each: 5 * MS, fixed: 2 * MS }, machine: { wake: 9 } });
    expect(of(1, measured)?.handOver.transfer).not.toEqual([100]);
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
    const of = (by: number) =>
      profileOf('loader', { facts: factsOf([...first, ...later(by)], 1), use: idle, host, isCut: true });
    expect(of(MS)).toMatchObject({ ranks: 2, machine: { cores: 2, physical: 1 } });
    expect(of(1000 * MS)).toMatchObject({ ranks: 1, machine: { cores: 4 } });
    const more = (of(MS)?.measured ?? 0) / (of(1000 * MS)?.measured ?? 1);
    expect(more).toBeGreaterThan(1.9);
    expect(more).toBeLessThan(2.1);
  });

  it('has nothing to say about few batches', () => {
    expect(
      profileOf('loader', { facts: factsOf(batchesOf(2, TIMES, 1), 1), use: idle, host, isCut: true }),
    ).toBeUndefined();
  });
});
