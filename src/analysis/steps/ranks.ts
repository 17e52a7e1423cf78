import { mean } from '../../math/statistics.ts';
import type { StepTrace } from '../../model/step-trace.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import { PARTS, type Part, type StepBreakdown } from './breakdown.ts';
import { matchCollectives } from './collective-match.ts';

/** A rank beside the others. Times are means over its steps. */
export interface RankRow {
  readonly rank: number;
  readonly steps: number;
  readonly duration: Ns;
  readonly parts: Readonly<Record<Part, Ns>>;
  /** Common collectives that it was the last to come to. */
  readonly last: Share;
  /** In common collectives, until the last rank had come: per step. */
  readonly waited: Ns;
  readonly clockOffset: Ns | undefined;
}

/** Ranks in order, from the breakdowns of the steps of each. */
export function rankRows(trace: StepTrace, stepsOf: readonly (readonly StepBreakdown[])[]): readonly RankRow[] {
  const collectives = matchCollectives(trace);
  const lastTimes = trace.ranks.map(() => 0);
  const waited = trace.ranks.map(() => 0);
  const takenPart = trace.ranks.map(() => 0);
  for (const { ops } of collectives) {
    const arrivals = [...ops].map(([rank, op]) => ({ rank, at: trace.ops.start[op] ?? 0 }));
    const latest = arrivals.reduce((a, b) => (b.at > a.at ? b : a));
    lastTimes[latest.rank] = (lastTimes[latest.rank] ?? 0) + 1;
    for (const { rank, at } of arrivals) {
      waited[rank] = (waited[rank] ?? 0) + latest.at - at;
      takenPart[rank] = (takenPart[rank] ?? 0) + 1;
    }
  }
  return trace.ranks.map(({ rank, clockOffset }, at) => {
    const steps = stepsOf[at] ?? [];
    const over = (of: (step: StepBreakdown) => number): Ns => ns(steps.length === 0 ? 0 : mean(steps.map(of)));
    return {
      rank,
      steps: steps.length,
      duration: over(step => step.duration),
      parts: Object.fromEntries(PARTS.map(part => [part, over(step => step[part])])) as Record<Part, Ns>,
      last: share((lastTimes[at] ?? 0) / Math.max(1, takenPart[at] ?? 0)),
      waited: ns((waited[at] ?? 0) / Math.max(1, steps.length)),
      clockOffset: clockOffset === undefined ? undefined : ns(clockOffset),
    };
  });
}
