import type { Finding } from '../../findings/registry.ts';
import type { Interval } from '../../math/statistics.ts';
import type { End } from '../../model/end.ts';
import type { Graph } from '../../model/graph.ts';
import type { Change, PipelinePlan, Plan } from '../../model/plan.ts';
import type { Warning } from '../../model/warnings.ts';
import type { Constraint } from '../../prediction/cost/ceiling.ts';
import type { Binding } from '../../prediction/cost/evaluate.ts';
import type { CallTrial, SearchEnd } from '../../tuning/call-search.ts';
import type { RuleReport, TunedPlan } from '../../tuning/plan.ts';

/** A plan and the measurements of it. */
export interface TriedPlan {
  readonly changes: readonly Change[];
  /** Undefined where it cannot be told. */
  readonly predicted: Interval | undefined;
  readonly measured: Interval;
  /** Rate / rate before, from alternating measurements. */
  readonly gained: Interval;
  readonly coresBusy: number;
  /** Cores that other programs used meanwhile. */
  readonly othersBusy: number;
  readonly lanes: number;
  readonly verdict: Finding;
  readonly graph: Graph;
  /** Where it was recorded, if that was kept. */
  readonly recording: string | undefined;
  /** Behind a cache that was filled with the first elements only. */
  readonly sampled: boolean;
}

/** How many calls of an async function at once were tried, before any other plan. */
export interface SearchedCalls {
  readonly operator: string;
  /** The first is the pipeline as it is. */
  readonly tried: readonly CallTrial[];
  /** The number that further plans have. */
  readonly taken: number;
  /** Why no more were tried; undefined where a target was reached, or somebody interrupted. */
  readonly end: SearchEnd;
}

/** Why a pipeline is left as it is. */
export type Unchanged =
  /** There is no change that promises anything, or none that can be run. */
  | 'nothing-tried'
  /** It is fast enough for the target. */
  | 'enough'
  /** The best plan was slower, or no faster. */
  | 'not-faster'
  /** The best plan was faster by no more than its measurements vary. */
  | 'not-certain'
  /** The best plan is faster from the second pass on, and there are too few passes for that to pay. */
  | 'does-not-pay';

/** What tuning a program of any target came to. */
export interface TuneResult {
  readonly schemaVersion: 1;
  /** The best that was tried; no changes where none was better than the program as it is. */
  readonly plan: Plan;
  /** Why it is left as it is; undefined where a plan is better. */
  readonly unchanged: Unchanged | undefined;
  /** The rate with the plan / the rate before. */
  readonly gained: Interval;
  readonly coresUsable: number;
}

export interface PipelineTuneResult extends TuneResult {
  readonly plan: PipelinePlan;
  readonly before: TriedPlan;
  /** Where the elements of all rates are counted. */
  readonly ends: readonly End[];
  readonly tried: readonly TriedPlan[];
  /** Of those tried; undefined: the pipeline as it is. */
  readonly best: number | undefined;
  /** Undefined where the pipeline does not wait on calls. */
  readonly calls: SearchedCalls | undefined;
  readonly rules: readonly RuleReport[];
  /** Ceiling over all arrangements, and its bottleneck. Without an estimate where the interval is too wide. */
  readonly ceiling: Interval;
  readonly ceilingBy: Constraint | undefined;
  /** Bottleneck with the plan. */
  readonly binding: Binding;
  readonly cold: TunedPlan['cold'];
  readonly target: { readonly rate: number; readonly reached: boolean } | undefined;
  /** Cores left by other programs while it was recorded as it is; forecasts are for these. */
  readonly coresLeft: number;
  /** Why the rates may not be typical. */
  readonly cautions: readonly Warning[];
  /** Plans that could not be run, and why. */
  readonly problems: readonly Warning[];
}
