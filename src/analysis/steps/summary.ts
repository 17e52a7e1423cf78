import { mean, median, standardDeviation } from '../../math/statistics.ts';
import { greatest, least } from '../../math/totals.ts';
import type { StepAssumption, StepTrace } from '../../model/step-trace.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import { breakdowns, PARTS, type Part, type StepBreakdown } from './breakdown.ts';
import { type CollectiveRow, collectiveRows, type Parallelism, parallelismOf } from './collectives.ts';
import { devicePace } from './device-pace.ts';
import { type IdleRow, idleRows } from './idle.ts';
import { type KernelRow, kernelRows } from './kernels.ts';
import { type LaunchSummary, launchSummary } from './launches.ts';
import { type PathSummary, pathSummary } from './path-summary.ts';
import { type RankRow, rankRows } from './ranks.ts';

/** Everything that is told of a trace of training steps. Of several ranks, the figures are those of the slowest, with a row for each. */
export interface StepsSummary {
  readonly source: string;
  readonly device: string | undefined;
  /** Rank that the figures are of, as the program counts. */
  readonly rank: number;
  readonly worldSize: number;
  readonly hasDevice: boolean;
  readonly time: StepTimes;
  /** Time of a step as the device has it, where that can be told. */
  readonly devicePace: Ns | undefined;
  /** Means over steps. */
  readonly mean: StepBreakdown;
  /** Parts of the mean step. */
  readonly shares: Readonly<Record<Part, Share>>;
  readonly steps: readonly (StepBreakdown & { readonly number: number })[];
  readonly kernels: readonly KernelRow[];
  readonly idle: readonly IdleRow[];
  readonly launches: LaunchSummary | undefined;
  readonly collectives: readonly CollectiveRow[];
  readonly parallelism: Parallelism | undefined;
  readonly path: PathSummary;
  readonly ranks: readonly RankRow[];
  readonly dependencies: { readonly count: number; readonly guessed: number };
  readonly assumptions: readonly StepAssumption[];
}

export interface StepTimes {
  readonly count: number;
  readonly mean: Ns;
  readonly deviation: Ns;
  readonly median: Ns;
  readonly least: Ns;
  readonly most: Ns;
}

export function stepsSummary(trace: StepTrace): StepsSummary {
  const stepsOf = breakdowns(trace);
  const ranks = rankRows(trace, stepsOf);
  const slowest = ranks.reduce((at, row, other) => (row.duration > (ranks[at]?.duration ?? 0) ? other : at), 0);
  const steps = stepsOf[slowest] ?? [];
  const positions = [...trace.steps.keys()].filter(step => trace.steps[step]?.rank === slowest);
  const times = stepTimes(steps.map(({ duration }) => duration));
  const average = meanBreakdown(steps);
  const collectives = collectiveRows(trace, slowest);
  return {
    source: trace.source,
    device: trace.ranks[slowest]?.device,
    rank: trace.ranks[slowest]?.rank ?? 0,
    worldSize: trace.ranks.reduce((most, { worldSize }) => Math.max(most, worldSize ?? 1), trace.ranks.length),
    hasDevice: trace.resources.some(({ kind, rank }) => kind === 'device' && rank === slowest),
    time: times,
    devicePace: devicePace(trace, slowest),
    mean: average,
    shares: Object.fromEntries(
      PARTS.map(part => [part, share(average[part] / Math.max(1, average.duration))]),
    ) as Record<Part, Share>,
    steps: steps.map((step, at) => ({ number: trace.steps[positions[at] ?? 0]?.number ?? at, ...step })),
    kernels: kernelRows(trace, slowest),
    idle: idleRows(trace, slowest),
    launches: launchSummary(trace, slowest),
    collectives,
    parallelism: parallelismOf(collectives),
    path: pathSummary(trace, slowest),
    ranks,
    dependencies: {
      count: trace.dependencies.count,
      guessed: trace.dependencies.guessed.reduce((sum, one) => sum + one, 0),
    },
    assumptions: trace.assumptions,
  };
}

function stepTimes(durations: readonly number[]): StepTimes {
  return {
    count: durations.length,
    mean: ns(mean(durations)),
    deviation: ns(durations.length < 2 ? 0 : standardDeviation(durations)),
    median: ns(median(durations)),
    least: ns(least(durations)),
    most: ns(greatest(durations)),
  };
}

function meanBreakdown(steps: readonly StepBreakdown[]): StepBreakdown {
  const over = (of: (step: StepBreakdown) => number): Ns => ns(mean(steps.map(of)));
  return {
    duration: over(step => step.duration),
    compute: over(step => step.compute),
    communication: over(step => step.communication),
    copy: over(step => step.copy),
    input: over(step => step.input),
    host: over(step => step.host),
    communicating: over(step => step.communicating),
    loading: over(step => step.loading),
  };
}
