import { beforeEach, describe, expect, it, vi } from 'vitest';
import { pipeline } from '../../../engine/api/define.ts';
import { range } from '../../../engine/index.ts';
import { VenturiError } from '../../../model/errors.ts';
import { tuningReport } from '../../../report/views/tuning.ts';
import { recordedOf, scriptedTrial } from './tune/scripted-trials.fixture.ts';
import type { TrialRequest } from './tune/trial.ts';
import { tuneDefinition } from './tune.ts';

const CALL_MS = 10;

/** Calls that what answers them can work on at once; more wait. Above `refuses` it fails some, or the whole function. */
const service = { capacity: 60, refuses: Number.POSITIVE_INFINITY, throws: false };

const definition = pipeline(import.meta, { n: 1e9 }, ({ n }) =>
  range(n).map(async x => x + 1, { name: 'enrich', concurrency: 1 }),
);

vi.mock('../../costs.ts', () => ({ ensureCosts: async () => undefined }));
vi.mock('./tune/trial.ts', () => ({
  tryOut: async (_: unknown, request: TrialRequest) => {
    const actions = request.plan?.actions ?? [];
    const of = (kind: 'concurrency' | 'parallelism'): number =>
      actions.flatMap(action => (action.kind === kind && 'to' in action ? [action.to ?? 1] : []))[0] ?? 1;
    const [concurrency, lanes] = [of('concurrency'), of('parallelism')];
    const calls = concurrency * lanes;
    if (service.throws && calls > service.refuses) throw new VenturiError('VENTURI_USER_FUNCTION', 'too many requests');
    const rate = Math.min(calls, service.capacity) / (CALL_MS / 1000);
    const analysis = recordedOf(definition, {
      ms: 0.05,
      asleep: 1000 / rate,
      call: (1000 * calls) / rate,
      failed: calls > service.refuses ? 0.2 : 0,
      more: { concurrency },
    });
    return scriptedTrial(analysis, request, { rate });
  },
}));

const tuned = (options: Parameters<typeof tuneDefinition>[2] = {}) =>
  tuneDefinition(definition, 'pipeline.ts', { rounds: 1, ...options });

beforeEach(() => void Object.assign(service, { capacity: 60, refuses: Number.POSITIVE_INFINITY, throws: false }));

describe('a pipeline that waits on calls', () => {
  it('is tried with more calls at once first, twice as many while that helps', async () => {
    const { calls } = await tuned();
    expect(calls?.tried.map(({ concurrency }) => concurrency)).toEqual([1, 2, 4, 8, 16, 32, 64, 128]);
    expect(calls).toMatchObject({ operator: 'enrich', taken: 64, end: 'saturated' });
  });

  it('gets a plan that sets concurrency, and no thread', async () => {
    const { best, plan, calls, gained } = await tuned();
    expect(best).toBe(0);
    expect(plan.changes.map(({ action }) => action)).toEqual([
      { kind: 'concurrency', operator: 'enrich', from: 1, to: calls?.taken },
    ]);
    expect(gained.estimate).toBeCloseTo(60);
  });

  it('is told where what answers is saturated', async () => {
    service.capacity = 10;
    const result = await tuned();
    expect(result.calls).toMatchObject({ taken: 16, end: 'saturated' });
    expect(JSON.stringify(tuningReport(result, 'venturi run'))).toMatch(/the service is saturated at 1\.00 k\/s/);
  });

  it.each([false, true])('goes back where calls fail (and the pipeline with them: %s)', async throws => {
    Object.assign(service, { refuses: 20, throws });
    const { calls, plan } = await tuned();
    expect(calls).toMatchObject({ taken: 16, end: 'refused' });
    expect(plan.changes.map(({ action }) => action)).toEqual([
      { kind: 'concurrency', operator: 'enrich', from: 1, to: 16 },
    ]);
    const refusal = { code: 'VENTURI_WARN_CALLS_FAILED', operators: ['enrich'] };
    expect(plan).toMatchObject({ target: 'engine', refused: throws ? [refusal] : [] });
  });

  it('is left as it is where more calls bring nothing', async () => {
    service.capacity = 1;
    const { best, plan, calls } = await tuned();
    expect([best, plan.changes, calls?.taken]).toEqual([undefined, [], 1]);
  });

  it.each([{ keep: ['enrich'] }, { without: ['concurrency' as const] }])(
    'is not tried so where that is not wanted',
    async options => {
      const { calls, plan } = await tuned(options);
      expect(calls).toBeUndefined();
      expect(JSON.stringify(plan.changes)).not.toContain('"concurrency"');
    },
  );
});
