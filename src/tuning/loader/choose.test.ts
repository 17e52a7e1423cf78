import { describe, expect, it } from 'vitest';
import { preparing, profile, step } from '../../prediction/loader/profile.fixture.ts';
import { type Preparing, profileOf } from '../../prediction/loader/profile.ts';
import { factsOf, host, idle, recordingOf } from '../../prediction/loader/recording.fixture.ts';
import { careful, chooseSetting, workerCounts } from './choose.ts';

const sleeping = [preparing(0, 40), preparing(0, 40)];

describe('the choice of a setting', () => {
  it('takes the fewest workers that keep up with the consumer', () => {
    const recorded = profile({ workers: 0, preparing: sleeping, steps: [step(0, 10), step(0, 10)] });
    const { changes, factor, best } = chooseSetting(recorded, undefined);
    expect(changes).toEqual({ num_workers: 4 });
    expect(factor).toBeGreaterThan(4);
    expect(best.bound).toBe('consumer');
  });

  it('changes nothing that is about as good as anything', () => {
    const recorded = profile({ workers: 6, preparing: sleeping, steps: [step(0, 10), step(0, 10)] });
    expect(chooseSetting(recorded, undefined)).toMatchObject({ changes: {}, factor: 1, heldBackBy: undefined });
  });

  it('tries a few workers first where there were none', () => {
    const job = (workers: number, prepares: Preparing) =>
      profile({ workers, cores: 32, preparing: [prepares, prepares], steps: [step(0, 1), step(0, 1)] });
    const working = job(0, preparing(20, 0));
    const choice = chooseSetting(working, undefined);
    expect(choice.best.setting.workers).toBeGreaterThan(8);
    const first = careful(choice, working);
    expect(first).toMatchObject({ changes: { num_workers: 2 }, best: { setting: { workers: 2 } } });
    expect(first.factor).toBeGreaterThan(1.9);
    // Sleep is the same in a worker, and where there were workers there is nothing to find out.
    for (const known of [job(0, preparing(1, 20)), job(1, preparing(20, 0))]) {
      expect(careful(chooseSetting(known, undefined), known).changes.num_workers).toBeGreaterThan(8);
    }
  });

  it('takes no more workers because passes are short', () => {
    const busy = { workers: 0, cores: 2, preparing: [preparing(45, 0)], steps: [step(6, 0)] };
    for (const passBatches of [20, 40, 4000]) {
      expect(chooseSetting(profile(busy, { passBatches }), undefined).best.setting.workers).toBe(2);
    }
  });

  it('stays within memory, and says what holds it back', () => {
    const recorded = profile(
      { workers: 1, preparing: sleeping, steps: [step(0, 1), step(0, 1)] },
      { batchBytes: 1e8, sharedSpace: 1e9 },
    );
    const { best, heldBackBy } = chooseSetting(recorded, undefined);
    expect(best.setting.workers).toBe(3);
    expect(best.memory.short).toBeUndefined();
    expect(heldBackBy).toBe('shared-memory');
  });

  it('leaves the workers of a stream alone', () => {
    const recorded = profile({ workers: 1, preparing: sleeping });
    const choice = chooseSetting(recorded, { stream: true });
    expect(choice.changes.num_workers).toBeUndefined();
    expect(choice.heldBackBy).toBe('stream');
  });

  it('lengthens the queue where batches are uneven and the workers idle meanwhile', () => {
    const uneven = Array.from({ length: 64 }, (_, at) => preparing(0, at % 16 === 0 ? 150 : 5));
    const recorded = profile({ workers: 8, cores: 2, preparing: uneven, steps: [step(0, 2.5), step(0, 2.5)] });
    const { changes, factor } = chooseSetting(recorded, undefined);
    expect(changes.num_workers).toBeUndefined();
    expect(changes.prefetch_factor).toBeGreaterThan(2);
    expect(factor).toBeGreaterThan(1.03);
  });

  it('keeps workers over passes where starting them takes a part of each', () => {
    const recorded = profile(
      { workers: 4, preparing: sleeping, steps: [step(0, 10), step(0, 10)] },
      { passes: 3, passBatches: 50, measured: 800, workerCost: { each: 5e7, start: 1e8 } },
    );
    expect(chooseSetting(recorded, undefined).changes).toEqual({ persistent_workers: true });
  });

  it('keeps workers that stay, whose only start a short recording had in it', () => {
    const persistent = { persistent_workers: true, start_method: 'spawn', length: 4 * 250 };
    const recorded = { workers: 2, batches: 60, start: 12_000, prepare: 40, step: 10, persistent: true };
    const facts = { ...factsOf([], 2, persistent), ...recordingOf(recorded) };
    const cut = profileOf('loader', { facts, use: idle, host, isCut: true });
    expect(cut && chooseSetting(cut, persistent).best.setting.workers).toBeGreaterThanOrEqual(2);
    // In a program of one such pass it would be right: 12.5 s without workers, 5 s and a start of 12 s with two.
    expect(cut && chooseSetting(cut, persistent, { epochs: 1 }).changes).toEqual({ num_workers: 0 });
    expect(cut && chooseSetting(cut, persistent, { epochs: 20 }).best.setting.workers).toBeGreaterThanOrEqual(2);
  });

  it('takes no cores from other programs by outnumbering them', () => {
    const busy = { cores: 2, physical: 2, others: 6 };
    const recorded = profile(
      { workers: 1, cores: 2, preparing: [preparing(40, 0)], steps: [step(1, 0)] },
      { machine: busy },
    );
    const { changes, factor } = chooseSetting(recorded, undefined);
    expect(changes.num_workers).toBeLessThanOrEqual(3);
    expect(factor).toBeGreaterThan(1.3);
  });

  it('tries numbers of workers that the cores allow, and the recorded one', () => {
    expect(workerCounts(2, 5)).toEqual([0, 1, 2, 3, 4, 5, 6, 8]);
    expect(workerCounts(1, 0)).toEqual([0, 1, 2, 3, 4, 6, 8]);
    expect(workerCounts(2.5, 0).at(-1)).toBe(8);
    expect(workerCounts(16, 2)).toEqual([0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]);
    expect(workerCounts(96, 2).at(-1)).toBe(64);
  });
});
