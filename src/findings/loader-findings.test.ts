import { describe, expect, it } from 'vitest';
import { costOf } from '../analysis/batches/cost.ts';
import { distribution } from '../analysis/batches/distribution.ts';
import { recurringFirstWaits } from '../analysis/batches/first-waits.ts';
import type { LoaderSummary } from '../analysis/batches/summary.ts';
import { boundBy, lostTime } from '../analysis/batches/verdict.ts';
import { ns } from '../model/units.ts';
import { preparing, profile, step } from '../prediction/loader/profile.fixture.ts';
import type { LoaderProfile } from '../prediction/loader/profile.ts';
import { chooseSetting } from '../tuning/loader/choose.ts';
import { operatorRow, summary } from '../tuning/loader/summary.fixture.ts';
import type { JudgedLoader } from './definition.ts';
import { loaderFindings } from './judge.ts';
import { findingWords } from './words.ts';

const sleeping = {
  workers: 1,
  preparing: Array.from({ length: 30 }, () => preparing(0, 40)),
  steps: [step(0, 10), step(0, 10)],
};

function judged(
  loader: LoaderSummary,
  of: LoaderProfile = profile(sleeping),
  more: Partial<JudgedLoader> = {},
): JudgedLoader {
  return {
    loader,
    profile: of,
    choice: chooseSetting(of, loader.settings),
    coresBusy: 0.5,
    storageShare: undefined,
    accelerator: undefined,
    ...more,
  };
}

const kinds = (of: JudgedLoader): string[] => loaderFindings(of).others.map(({ kind }) => kind);

describe('what is found about a loader', () => {
  it('names preparation, the setting that helps and its gain', () => {
    const drifting = Array.from({ length: 30 }, (_, batch) => preparing(0, batch < 15 ? 39.5 : 40.5));
    const { verdict } = loaderFindings(judged(summary(), profile({ ...sleeping, preparing: drifting })));
    expect(verdict).toMatchObject({
      kind: 'preparation-bound',
      limits: true,
      cause: { type: 'software' },
      operators: ['train', 'decode'],
      fix: { type: 'arguments', loader: 'train', changes: { num_workers: 4 } },
    });
    expect(verdict.gain?.factor).toBeGreaterThan(3);
    // The present rate is uncertain as well, so the factor's interval is wider than that of the rate.
    const { factor = 0, rate = 0, low = 0, high = 0, factorBand = { low: 0, high: 0 } } = verdict.gain ?? {};
    expect(factorBand.high / factor).toBeGreaterThan(high / rate);
    expect(factor / factorBand.low).toBeGreaterThan(rate / low);
    expect(findingWords(verdict)).toMatchInlineSnapshot(`
      {
        "doubts": [],
        "fix": "train: num_workers=4 (about 798/s, 4 times as fast)",
        "text": "train is limited by preparation: its consumer waits 75 % of the time, at most 75 % of the program's time to gain; with 1 worker a batch takes 40 ms to prepare and 10 ms to consume, 0.5 of 4 cores busy; 200/s of a possible 798/s (software: no resource is saturated)",
      }
    `);
  });

  it('says that the CPU is full where no setting helps', () => {
    const full = profile({ workers: 4, cores: 4, preparing: [preparing(40, 0)], steps: [step(1, 0)] });
    const { verdict } = loaderFindings(judged(summary({ workers: 4 }), full, { coresBusy: 3.9 }));
    expect(verdict).toMatchObject({
      cause: { type: 'hardware', resource: 'cpu' },
      fix: { type: 'advice' },
      gain: undefined,
    });
    expect(findingWords(verdict).fix).toMatchInlineSnapshot(
      `"Make the preparation cheaper: more workers would not help; decode has 80 % of the work"`,
    );
  });

  it('says that storage is full', () => {
    const { verdict } = loaderFindings(judged(summary(), profile(), { storageShare: 0.95 }));
    expect(verdict.cause).toEqual({ type: 'hardware', resource: 'storage', full: 0.95 });
  });

  it('tells order and handing over from preparation', () => {
    expect(loaderFindings(judged(summary({ inOrder: 0.9 }))).verdict.kind).toBe('order-bound');
    expect(loaderFindings(judged(summary({ prepared: 0.9 }))).verdict.kind).toBe('transfer-bound');
  });

  it('leaves a loader alone that keeps up', () => {
    const { verdict } = loaderFindings(judged(summary({ wait: 0.1 })));
    expect(verdict).toMatchObject({
      kind: 'consumer-bound',
      cause: { type: 'none' },
      gain: undefined,
      figures: { nearly: false },
    });
    expect(findingWords(verdict)).toMatchInlineSnapshot(`
      {
        "doubts": [],
        "fix": "Speed up the step itself: nothing in the loader would help",
        "text": "The consumer limits this program, not train: it works 10 ms on a batch and waits 1.0 % of the time; batches are ready 1.0 ms ahead; 792/s",
      }
    `);
  });

  it('calls the consumer most of the limit where it works far longer than it waits, and says what is at stake', () => {
    const without = profile({ workers: 0, preparing: [preparing(0, 64)], steps: [step(0, 520)] });
    const { verdict } = loaderFindings(judged(summary({ preparation: 64, step: 520, wait: 64, workers: 0 }), without));
    expect(verdict).toMatchObject({ kind: 'consumer-bound', figures: { mostly: true }, fix: { type: 'arguments' } });
    const { text, fix } = findingWords(verdict);
    expect(text).toMatch(
      /^Mostly the consumer limits this program, not train: it works 520 ms on a batch and waits 11 % of the time for its preparation of 64 ms, at most 11 % of the program's time to gain; /,
    );
    expect(fix).toMatch(/^train: num_workers=1/);
  });

  it('names the start of passes once, as the verdict or beside it', () => {
    const first = summary({ wait: 0.1, workers: 2 });
    const passes = [0, 1].map(pass => ({
      ...({ consumer: 1, batches: 20, outOfOrder: 0, waitSplit: first.waitSplit, windows: [] } as const),
      ...{ pass, start: ns(pass * 3e9), end: ns(pass * 3e9 + 2.2e9), firstWait: ns(2e9), evidence: first.evidence },
      verdict: first.verdict,
    }));
    const evidence = {
      ...first.evidence,
      batches: 38,
      wait: ns(2e6),
      consume: ns(3.8e8),
      ...recurringFirstWaits(passes),
    };
    const verdict = boundBy(evidence);
    const settings = { num_workers: 2, persistent_workers: false };
    const cost = costOf({ ranks: [{ lost: lostTime(evidence) }], passes }, 5.2e9);
    const loader = { ...first, passes, evidence, verdict, settings, cost, firstWaits: distribution([2e9, 2e9]) };
    const found = loaderFindings(judged(loader));
    expect(found.verdict).toMatchObject({
      kind: 'start-bound',
      fix: { type: 'arguments', changes: { persistent_workers: true } },
    });
    // A band that no measurement can lie in is none.
    const { low = 0, high = 0 } = found.verdict.gain ?? {};
    expect(high).toBeGreaterThan(low);
    expect(findingWords(found.verdict).text).toMatch(
      /^train is held up by the start of each pass: 2\.0 s before its first batch, 89 % of the time, at most 77 % of the program's time to gain; /,
    );
    expect(found.others.map(({ kind }) => kind)).not.toContain('worker-start');
    expect(kinds(judged({ ...loader, verdict: first.verdict }))).toContain('worker-start');
  });

  it('asks for more where there is little', () => {
    const few = { ...judged(summary({ batches: 3 })), profile: undefined, choice: undefined };
    expect(loaderFindings(few).verdict).toMatchObject({ kind: 'few-batches', fix: { type: 'record' } });
    expect(kinds({ ...few, loader: summary({ batches: 3, queued: 0.9 }) })).toEqual([]);
  });

  it('counts what other programs use of the cores, and is silent about a queue of moments', () => {
    const crowd = profile(
      { workers: 1, cores: 2, preparing: [preparing(0.05, 60)], steps: [step(0, 10)] },
      { machine: { cores: 2, physical: 2, others: 68.7 }, othersUsed: 1.9 },
    );
    const of = (queuedMs: number) =>
      loaderFindings(
        judged(
          summary({ preparation: 60 }, { cpu: distribution([5e4]), runDelay: distribution([queuedMs * 1e6]) }),
          crowd,
        ),
      );
    expect(of(1.2).others.map(({ kind }) => kind)).not.toContain('cores-short');
    const long = of(12).others.find(({ kind }) => kind === 'cores-short');
    expect(long && findingWords(long).text).toBe(
      'Preparation of train queues 100 % of the time it wants a core; other programs use 1.9 of 4 cores',
    );
    expect(of(12).verdict.doubts).toContain('busy-machine');
  });

  it('notes preparation that queues for a core, and then blames no element', () => {
    const slowest = [{ name: 'a.jpg', loader: 'train', duration: 90e6, start: 0 }];
    expect(kinds(judged(summary({ queued: 0.5 }, { slowest })))).toEqual(['cores-short']);
    expect(kinds(judged(summary({}, { slowest })))).toContain('slow-elements');
  });

  it('notes steps whose threads workers hold up', () => {
    const on = (cores: number) => profile({ workers: 2, cores, preparing: [preparing(40, 0)], steps: [step(5, 0, 2)] });
    const found = loaderFindings(judged(summary({ workers: 2 }), on(2))).others.find(
      ({ kind }) => kind === 'steps-crowded',
    );
    expect(found === undefined ? undefined : findingWords(found).fix).toMatch(/^Try OMP_NUM_THREADS=1/);
    expect(kinds(judged(summary({ workers: 2 }), on(16)))).not.toContain('steps-crowded');
  });

  it('notes memory that more workers would not find', () => {
    const short = profile(sleeping, { batchBytes: 1e8, sharedSpace: 6e8 });
    const found = loaderFindings(judged(summary(), short)).others.find(({ kind }) => kind === 'memory-short');
    expect(found).toMatchObject({ figures: { what: 'shared-memory' }, cause: { resource: 'memory' } });
    expect(found?.gain?.factor).toBeGreaterThan(1);
  });

  it('notes work that every pass repeats, where sparing it would help beyond the best setting', () => {
    const rows = [
      operatorRow('Images.__getitem__', 'dataset', 0.1),
      operatorRow('open', 'open', 0.1),
      operatorRow('decode', 'decode', 0.4),
      operatorRow('Resize', 'transform', 0.1),
      operatorRow('RandomCrop', 'transform', 0.2),
      operatorRow('ToTensor', 'transform', 0.1),
    ];
    const busy = profile({ workers: 4, cores: 4, preparing: [preparing(40, 0)], steps: [step(1, 0)] });
    const found = loaderFindings(judged(summary({ workers: 4 }, { operators: rows }), busy)).others.find(
      ({ kind }) => kind === 'repeated',
    );
    expect(found).toMatchObject({ operators: ['train', 'open', 'decode', 'Resize'], figures: { until: 'Resize' } });
    expect(found?.gain?.factor).toBeCloseTo(1 / 0.4, 0);
    // A transform of the author's own may draw at random.
    const own = rows.map(row => (row.operator === 'Resize' ? operatorRow('Mine', 'transform', 0.1) : row));
    const without = loaderFindings(judged(summary({ workers: 4 }, { operators: own }), busy)).others.find(
      ({ kind }) => kind === 'repeated',
    );
    expect(without).toMatchObject({ figures: { until: 'decode', share: 0.5 } });
  });

  it('notes batches that go to a device unpinned', () => {
    expect(kinds(judged(summary(), profile(sleeping), { accelerator: 'cuda' }))).toContain('unpinned');
    expect(kinds(judged(summary(), profile(sleeping, { batchBytes: 1000 }), { accelerator: 'cuda' }))).not.toContain(
      'unpinned',
    );
  });
});
