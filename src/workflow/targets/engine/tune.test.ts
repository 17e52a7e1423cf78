import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { pipeline } from '../../../engine/api/define.ts';
import { range } from '../../../engine/index.ts';
import { tuningReport } from '../../../report/views/tuning.ts';
import { recordedOf, type Scripted, scriptedTrial } from './tune/scripted-trials.fixture.ts';
import type { TrialRequest } from './tune/trial.ts';
import { tuneDefinition } from './tune.ts';

/** What the next trials show, of plans and of the pipeline as it is; the last one goes on. */
const script = { asItIs: [] as Scripted[], plan: [] as Scripted[] };
const next = (list: Scripted[]): Scripted => (list.length > 1 ? list.shift() : list[0]) ?? { rate: 100 };

const definition = pipeline(import.meta, { n: 1e9 }, ({ n }) =>
  range(n)
    .map(x => x + 1, { name: 'work' })
    .batch(4),
);

const analysis = recordedOf(definition, { ms: 2 });

vi.mock('../../costs.ts', () => ({ ensureCosts: async () => undefined }));
vi.mock('./tune/trial.ts', () => ({
  tryOut: async (_: unknown, request: TrialRequest) => {
    passes.push(request.epochs);
    return scriptedTrial(analysis, request, next(request.plan === undefined ? script.asItIs : script.plan));
  },
}));

/** Passes of every recording. */
let passes: number[] = [];

const tuned = (options: Parameters<typeof tuneDefinition>[2] = {}) =>
  tuneDefinition(definition, 'pipeline.ts', { rounds: 1, ...options });

beforeEach(() => {
  script.asItIs = [{ rate: 100 }];
  script.plan = [{ rate: 190 }];
  passes = [];
});

describe('on a machine that other programs use', () => {
  it('what is forecast is for the cores they leave, and that is said first', async () => {
    script.asItIs = [{ rate: 480, others: 2.5 }];
    script.plan = [{ rate: 700, others: 2.5 }];
    const result = await tuned();
    expect([result.coresUsable, result.coresLeft]).toEqual([4, 1.5]);
    const cost = analysis.rates.totalDemand.estimate;
    for (const { estimate } of [result.ceiling, ...result.tried.flatMap(({ predicted }) => predicted ?? [])]) {
      expect(estimate).toBeLessThanOrEqual(1.5 / cost);
    }
    const [first] = tuningReport(result, 'venturi run');
    expect(first).toMatchObject({ text: expect.stringMatching(/^On the 1\.5 of 4 cores that other programs leave: /) });
  });
});

it('a forecast that may be anything is none, and that is said', async () => {
  // A third of what is reckoned, and noise: what held it back need not hold the plan.
  script.asItIs = [{ rate: 100, error: 0.3 }];
  script.plan = [{ rate: 300 }];
  const result = await tuned();
  expect(result.tried.map(({ predicted }) => predicted)).toEqual([undefined]);
  expect(result.plan.changes.flatMap(({ forecast }) => forecast ?? [])).toEqual([]);
  expect(result.plan.basis).not.toHaveProperty('predicted');
  expect(result.cautions).toContainEqual({
    code: 'VENTURI_WARN_FORECAST_UNTOLD',
    message: expect.stringMatching(/could not be told .*--for 30s/),
  });
  // The ceiling rests on demands alone, whatever rate they led to.
  expect(result.ceiling.estimate).toBeGreaterThan(300);
  expect(tuningReport(result, 'venturi run')[0]).toMatchObject({ text: expect.not.stringContaining('predicted') });
});

describe('a pipeline that is over sooner than is asked for', () => {
  it('is recorded over as many passes as last twice as long', async () => {
    script.asItIs = [{ rate: 100, flowed: 0.5 }, { rate: 100 }];
    await tuned({ seconds: 4 });
    expect(passes.slice(0, 2)).toEqual([1, 16]);
  });

  it('is recorded over more passes where it was not steady for long enough to be measured', async () => {
    script.asItIs = [{ rate: 100, flowed: 0.2, steady: 0.06 }, { rate: 100 }];
    await tuned({ seconds: 0.3 });
    expect(passes.slice(0, 2)).toEqual([1, 3]);
  });

  it('is recorded as it is where more passes take no longer', async () => {
    script.asItIs = [{ rate: 100, flowed: 0.5 }, { rate: 100, flowed: 0.5 }, { rate: 100 }];
    await tuned({
      seconds: 4,
      without: ['parallelism', 'sources', 'outer', 'prefetch', 'cache', 'batches', 'fusion', 'concurrency'],
    });
    expect(passes).toEqual([1, 16]);
  });
});

describe('a plan that was tried', () => {
  it('is taken where it is faster each time', async () => {
    const { best, plan, unchanged, gained } = await tuned();
    expect([best, unchanged]).toEqual([0, undefined]);
    expect(plan.changes).not.toEqual([]);
    expect(gained.estimate).toBeCloseTo(1.9);
  });

  // `tune` ended with 0.82 times as fast, and advised that, because more was predicted and the machine was busy.
  it('is not taken where it is slower, whatever was predicted and however busy the machine is', async () => {
    script.asItIs = [{ rate: 14.5, others: 1.5, error: 0.2 }];
    script.plan = [{ rate: 11.9, others: 1.5, error: 0.2 }];
    const { best, plan, unchanged, gained } = await tuned();
    expect([best, unchanged, plan.changes, gained.estimate]).toEqual([undefined, 'not-faster', [], 1]);
  });

  it('is not taken where it is faster by no more than it varies', async () => {
    script.asItIs = [{ rate: 100 }];
    script.plan = [{ rate: 130 }, { rate: 90 }, { rate: 125 }, { rate: 95 }, { rate: 110 }];
    const { best, plan, unchanged, tried } = await tuned();
    expect([best, unchanged, plan.changes]).toEqual([undefined, 'not-certain', []]);
    expect(tried[0]?.gained.low).toBeLessThan(1);
    expect(tried[0]?.gained.estimate).toBeGreaterThan(1);
  });

  it('is measured again, also where it was far ahead at first', async () => {
    script.asItIs = [{ rate: 100 }];
    script.plan = [{ rate: 400 }, { rate: 60 }];
    expect(await tuned()).toMatchObject({ best: undefined, plan: { changes: [] } });
  });

  it('is compared with what the pipeline did at the same time', async () => {
    script.asItIs = [{ rate: 100 }, { rate: 50 }, { rate: 100 }];
    script.plan = [{ rate: 120 }, { rate: 60 }, { rate: 120 }];
    const { best, gained } = await tuned();
    expect(best).toBe(0);
    expect([gained.low, gained.high]).toEqual([expect.closeTo(1.18, 1), expect.closeTo(1.22, 1)]);
  });

  it('is never taken unless it was faster in the mean, beyond the interval of that', async () => {
    const rates = fc.array(
      fc.record({
        rate: fc.double({ min: 1, max: 1000, noNaN: true }),
        error: fc.double({ min: 0, max: 0.4, noNaN: true }),
        others: fc.double({ min: 0, max: 4, noNaN: true }),
      }),
      { minLength: 1, maxLength: 5 },
    );
    const options = fc.record({
      rounds: fc.integer({ min: 1, max: 3 }),
      target: fc.option(fc.double({ min: 1, max: 2000, noNaN: true }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(rates, rates, options, async (asItIs, plan, chosen) => {
        script.asItIs = [...asItIs];
        script.plan = [...plan];
        const { best, before, tried, gained, plan: kept, unchanged } = await tuned(chosen);
        if (best === undefined) {
          expect([kept.changes, gained.estimate]).toEqual([[], 1]);
          expect(kept.basis?.predicted ?? before.measured).toEqual(before.measured);
          expect(unchanged).toBeDefined();
          return;
        }
        const its = tried[best];
        expect(its?.measured.estimate).toBeGreaterThan(before.measured.estimate);
        expect(gained.low).toBeGreaterThan(1);
        expect(its?.gained).toEqual(gained);
        expect(kept.changes).toEqual(its?.changes);
      }),
      { numRuns: 40 },
    );
  });
});
