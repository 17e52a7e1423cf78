import { expect, it } from 'vitest';
import { PARTS, type Part } from '../analysis/steps/breakdown.ts';
import { mergeRanks } from '../analysis/steps/merge-ranks.ts';
import { stepsSummary } from '../analysis/steps/summary.ts';
import { share } from '../model/units.ts';
import { type FakeJob, imported, jobText, kinetoText, twoSteps } from '../probes/steps/kineto/trace.fixture.ts';
import { stepsFindings } from './judge.ts';
import { findingWords } from './words.ts';

const kindsOf = async (...ranks: readonly FakeJob[]): Promise<readonly string[]> => {
  const traces = await Promise.all(ranks.map(rank => imported(jobText(rank))));
  const { verdict, others } = stepsFindings(stepsSummary(mergeRanks(traces)));
  return [verdict, ...others].map(({ kind }) => kind);
};

it.each([
  ['an input that takes most of the time', { input: 20_000 }, ['input-bound']],
  ['long kernels', { kernel: 5000 }, ['device-bound']],
  ['two steps', { input: 20_000, steps: 2 }, ['input-bound', 'few-steps']],
] as const)('finds %s', async (_, job, kinds) => {
  expect(await kindsOf(job)).toEqual(kinds);
});

it('finds a rank that comes last to the collectives of others', async () => {
  expect(await kindsOf({}, { rank: 1, late: 150 })).toContain('straggling-rank');
  expect(await kindsOf({}, { rank: 1 })).not.toContain('straggling-rank');
});

it('finds a device that falls behind the host, not a pause of both', async () => {
  const kindsAt = async (step: number, pause: number): Promise<readonly string[]> => {
    const events = [0, 1, 2, 3].flatMap(number => {
      const at = number * (1000 + pause);
      return [
        { cat: 'user_annotation', name: `ProfilerStep#${number}`, at, for: 1000 },
        { cat: 'cuda_runtime', name: 'launch', at: at + 10, for: 2, args: { correlation: number } },
        { cat: 'kernel', name: 'gemm', at: number * step + 20, for: 900, stream: 7, args: { correlation: number } },
      ];
    });
    const { verdict, others } = stepsFindings(stepsSummary(await imported(kinetoText(events))));
    return [verdict, ...others].map(({ kind }) => kind);
  };
  expect(await kindsAt(1000, 0)).not.toContain('device-behind');
  expect(await kindsAt(1200, 0)).toContain('device-behind');
  expect(await kindsAt(1200, 200)).not.toContain('device-behind');
});

it('finds communication that nothing hides, copies, and a host that launches too little', async () => {
  const whole = { cat: 'user_annotation', name: 'ProfilerStep#1', at: 0, for: 100 };
  const launch = { cat: 'cuda_runtime', name: 'launch', at: 1, for: 2, args: { correlation: 1 } };
  const work = { at: 4, for: 90, stream: 7, args: { correlation: 1 } };
  const verdictOf = async (cat: string, name: string, duration = 90): Promise<string> => {
    const events = [whole, launch, { cat, name, ...work, for: duration }];
    return stepsFindings(stepsSummary(await imported(kinetoText(events)))).verdict.kind;
  };
  expect(await verdictOf('kernel', 'ncclDevKernel_AllReduce')).toBe('communication-bound');
  expect(await verdictOf('kernel', 'gemm', 10)).toBe('launch-bound');
  expect(await verdictOf('gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)')).toBe('copy-bound');
});

it('promises at most that a part takes no time', async () => {
  const summary = stepsSummary(await imported(kinetoText(twoSteps)));
  const { verdict } = stepsFindings({ ...summary, shares: { ...summary.shares, input: summary.shares.compute } });
  expect(verdict.gain?.factor ?? 1).toBeLessThanOrEqual(1 / (1 - Math.max(...Object.values(summary.shares))) + 1e-9);
});

it('advises in the words of the framework', async () => {
  const summary = stepsSummary(await imported(kinetoText(twoSteps)));
  const adviceOf = (part: Part, source: string): string => {
    const shares = Object.fromEntries(
      PARTS.map(each => [each, share(each === part ? 0.9 : 0)]),
    ) as typeof summary.shares;
    const { verdict, others } = stepsFindings({ ...summary, source, shares });
    return [verdict, ...others].map(finding => findingWords(finding).fix ?? '').join('\n');
  };
  for (const part of PARTS) {
    expect(adviceOf(part, 'kineto')).toMatch(/torch|num_workers|DDP|pin_memory|prof\.step/);
    for (const source of ['tensorflow', 'chakra', 'simulation']) {
      expect(adviceOf(part, source)).not.toMatch(/torch|num_workers|DDP|pin_memory|prof\.step|\.item/);
    }
    expect(adviceOf(part, 'tensorflow')).toMatch(/tf\.|XLA|server/);
    expect(adviceOf(part, 'tensorflow')).toMatch(/Session\.run/);
  }
});
