import { expect, it, vi } from 'vitest';
import type { PipelineDefinition } from '../engine/api/define.ts';
import { pipeline, range } from '../engine/index.ts';
import { twiceAsFast } from '../report/results/tuning.fixture.ts';
import { optimize } from './optimize.ts';

const asWritten = pipeline(import.meta, { n: 10 }, ({ n }) => range(n).map(x => x + x));
const otherwise = pipeline(import.meta, { n: 10 }, ({ n }) => range(n).map(x => 2 * x));

const rates = new Map<PipelineDefinition<{ n: number }, number>, number>();

vi.mock('./targets/engine/tune.ts', () => ({
  tuneDefinition: async (definition: PipelineDefinition<{ n: number }, number>, path: string) => {
    const { tuning } = twiceAsFast;
    const rate = rates.get(definition) ?? 0;
    const measured = { estimate: rate, low: 0.95 * rate, high: 1.05 * rate, confidence: 0.9 };
    const plan = { ...tuning.plan, pipeline: { ...tuning.plan.pipeline, path }, changes: [] };
    return { ...tuning, plan, before: { ...tuning.before, measured }, tried: [], best: undefined };
  },
}));

it.each([
  [103, 100],
  [97, 100],
  [120, 120],
])('an alternative of %d/s is taken only where it is faster by more than measurements vary', async (rate, expected) => {
  rates.set(asWritten, 100);
  rates.set(otherwise, rate);
  const { tuning } = await optimize(asWritten, { pickBest: [otherwise] });
  expect(tuning.before.measured.estimate).toBe(expected);
});
