import { findingsOf } from '../../../../findings/judge.ts';
import type { Interval } from '../../../../math/statistics.ts';
import type { TriedPlan } from '../../../../report/results/tuning.ts';
import { meanRate } from '../../../../tuning/cold.ts';
import type { TunedPlan } from '../../../../tuning/plan.ts';
import { gainOf, type Judged, meanOf, type Timed } from '../../judgement.ts';
import { middle } from './in-turn.ts';
import type { TuneOptions } from './options.ts';
import type { Trial } from './trial.ts';

/** A plan that has run. */
export interface Candidate {
  readonly plan: TunedPlan;
  readonly trial: Trial;
  /** What it came to, each time it was measured. */
  readonly times: Tried[];
}

/** What was measured of a plan, or of the pipeline as it is, in one round. */
export interface Tried extends Omit<TriedPlan, 'gained'>, Timed {}

/** A plan's forecast, where it can be told. */
export const forecastOf = ({ predicted, doubts }: TunedPlan): Interval | undefined =>
  doubts.length > 0 ? undefined : predicted;

export function triedOf(
  { analysis, run }: Trial,
  round: number,
  { record }: Pick<TuneOptions, 'record'>,
  { plan, sampled = false }: { readonly plan?: TunedPlan; readonly sampled?: boolean } = {},
): Tried {
  const { rates, graph } = analysis;
  return {
    round,
    changes: plan?.changes ?? [],
    predicted: plan && forecastOf(plan),
    measured: rates.rate,
    coresBusy: rates.cpu.busy,
    othersBusy: rates.cpu.others ?? 0,
    lanes: graph.stages.reduce((sum, { parallelism }) => sum + parallelism, 0),
    verdict: findingsOf(analysis).verdict,
    graph,
    recording: record === undefined ? undefined : run.folder,
    sampled,
  };
}

export function judgedOf({ plan: { cold }, times }: Candidate, asItIs: readonly Timed[]): Judged {
  const measured = meanOf(times);
  const ofPasses =
    cold === undefined ? 1 : meanRate(cold.rate.estimate, measured.estimate, cold.passes) / measured.estimate;
  return { measured, gained: gainOf(times, asItIs), lanes: times[0]?.lanes ?? 0, ofPasses };
}

/** Several measurements of the same as one: rates are their mean, and the rest is that of the one in the middle. */
export function asMean(times: readonly Tried[], measured: Interval, gained: Interval): TriedPlan {
  const { round: _, ...its } = middle(times);
  return { ...its, measured, gained };
}
