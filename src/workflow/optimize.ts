import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { consumedEnd } from '../analysis/ends.ts';
import type { PipelineDefinition } from '../engine/api/define.ts';
import { describePipeline, planned } from '../engine/api/planned.ts';
import { quotient } from '../math/repeated.ts';
import type { Interval } from '../math/statistics.ts';
import { appliedPlan } from '../model/applied-plan.ts';
import { VenturiError } from '../model/errors.ts';
import type { PipelineTuneResult } from '../report/results/tuning.ts';
import { checkConsent } from './targets/engine/tune/consent.ts';
import type { TuneOptions } from './targets/engine/tune/options.ts';
import { firstElements } from './targets/engine/tune/repeatable.ts';
import { tuneDefinition } from './targets/engine/tune.ts';

export interface OptimizeOptions<P, T> extends Omit<TuneOptions, 'params'> {
  readonly params?: Partial<P>;
  /** Other ways to make the same elements: each is tuned, and one that is faster for certain is taken instead. */
  readonly pickBest?: readonly PipelineDefinition<P, T>[];
}

/** A pipeline with a plan, and how it was found. */
export interface OptimizedPipeline<P, T> extends PipelineDefinition<P, T> {
  readonly tuning: PipelineTuneResult;
}

/** Elements of each alternative that are compared before any is measured, at each of its ends. */
const COMPARED = 64;

/**
 * Tunes a pipeline by running it for a while, and gives it back with the best plan found: the same elements in the same
 * order, sooner. Where no plan was faster for certain, it is given back as it is. Of several alternatives that give the same elements
 * a later one is taken where it was faster by more than measurements vary.
 */
export async function optimize<P, T>(
  definition: PipelineDefinition<P, T>,
  options: OptimizeOptions<P, T> = {},
): Promise<OptimizedPipeline<P, T>> {
  const { pickBest = [], params, ...others } = options;
  const tuneOptions: TuneOptions = { ...others, ...(params === undefined ? {} : { params: { ...params } }) };
  const alternatives = [definition, ...pickBest];
  for (const alternative of alternatives) await checkConsent(describePipeline(alternative, params), options);
  await checkAlike(alternatives, options);
  let best: OptimizedPipeline<P, T> | undefined;
  for (const [at, alternative] of alternatives.entries()) {
    if (best !== undefined && options.signal?.aborted === true) break;
    const tuning = await tuneDefinition(alternative, pathOf(alternative.url), {
      ...tuneOptions,
      ...(options.record === undefined || at === 0 ? {} : { record: `${options.record}-${at + 1}` }),
    });
    if (best === undefined || isFaster(tuning, best.tuning)) {
      best = { ...planned(alternative, appliedPlan(tuning.plan)), tuning };
    }
  }
  if (best === undefined) throw new Error('there is always one alternative');
  return best;
}

/** Beyond what was measured of both varies. */
const isFaster = (one: PipelineTuneResult, other: PipelineTuneResult): boolean =>
  quotient(rateOf(one), rateOf(other)).low > 1;

const rateOf = ({ best, tried, before }: PipelineTuneResult): Interval =>
  (best === undefined ? before : (tried[best] ?? before)).measured;

const pathOf = (url: string): string => (url.startsWith('file:') ? fileURLToPath(url) : url);

/** The first elements that the consumer gets, and behind them those that enter each sink. */
async function firstsOf<P, T>(
  alternative: PipelineDefinition<P, T>,
  { params, seed, signal }: OptimizeOptions<P, T>,
): Promise<unknown[]> {
  const { operators } = describePipeline(alternative, params);
  const elements: unknown[] = [];
  if (consumedEnd({ operators: [...operators], channels: [], stages: [], fingerprint: '' }, () => 0) !== undefined) {
    const run = alternative.run({
      parallelism: 0,
      trial: true,
      ...(params === undefined ? {} : { params }),
      ...(seed === undefined ? {} : { seed }),
      ...(signal === undefined ? {} : { signal }),
    });
    for await (const element of run) if (elements.push(element) >= COMPARED) break;
  }
  for (const operator of operators.filter(({ sink }) => sink === true).flatMap(({ inputs }) => inputs)) {
    elements.push(...(await firstElements(alternative, { params: { ...params }, operator, signal }, seed ?? 0)));
  }
  return elements;
}

/** The first elements tell alternatives apart that do not mean the same. */
async function checkAlike<P, T>(
  alternatives: readonly PipelineDefinition<P, T>[],
  options: OptimizeOptions<P, T>,
): Promise<void> {
  if (alternatives.length < 2) return;
  const firsts: unknown[][] = [];
  for (const alternative of alternatives) firsts.push(await firstsOf(alternative, options));
  const other = firsts.findIndex(elements => !isDeepStrictEqual(elements, firsts[0]));
  if (other < 0) return;
  const place = firsts[other]?.findIndex((element, at) => !isDeepStrictEqual(element, firsts[0]?.[at])) ?? 0;
  throw new VenturiError(
    'VENTURI_BAD_OPTION',
    `pickBest: alternative ${other} gives other elements than the pipeline, from element ${Math.max(0, place)} on`,
    { remedy: 'give pipelines that yield the same elements in the same order' },
  );
}
