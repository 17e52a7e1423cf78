import type { Analysis } from '../../analysis/analysis.ts';
import { scaledBy } from '../../math/statistics.ts';
import type { Constraint } from './constraints.ts';
import { crowdingOf } from './speed.ts';

/**
 * The constraints with contention between threads, for as many busy cores as each allows. Assumes that cores beyond one more than
 * in the recording add no further contention.
 */
export function crowded(analysis: Analysis, constraints: readonly Constraint[]): readonly Constraint[] {
  const crowding = crowdingOf(analysis);
  const cores = constraints.find(({ kind }) => kind === 'cores');
  if (crowding === 1 || cores === undefined) return constraints;
  const total = cores.supply / cores.rate.estimate;
  const slowerAt = (rate: number): number => {
    const more = Math.min(cores.supply, rate * total) - analysis.rates.cpu.busy;
    return 1 + (crowding - 1) * Math.min(1, Math.max(0, more));
  };
  return constraints
    .map(each =>
      each.kind === 'cores' || each.kind === 'sequential'
        ? { ...each, rate: scaledBy(each.rate, 1 / slowerAt(each.rate.estimate)) }
        : each,
    )
    .sort((a, b) => a.rate.estimate - b.rate.estimate);
}
