import type { Analysis } from '../../analysis/analysis.ts';
import { type Amount, amountOf, scaled } from './amount.ts';
import { grownBy } from './evaluate.ts';
import type { BehindCache, CostModel } from './model.ts';
import { costModelOf } from './recording.ts';

/** Cores more than were in use before, for a second recording to say anything about growth with them. A judgement: slopes over less are noise. */
const LEAST_CORES_MORE = 0.2;

/**
 * The model with what trials have shown: residuals of each operator's CPU, as growth with the cores in use, and what was measured
 * behind caches.
 */
export const withTrials = (model: CostModel, trials: readonly Analysis[]): CostModel =>
  withCaches({ ...model, growth: growthOf(model, trials) }, trials);

/**
 * Rates shrink as cores fill: shared caches, memory bandwidth, two threads on a core. CPU per element is taken to grow
 * linearly with the cores in use, d(L) = d(L₀)(1 + g (L - L₀)), with g fitted to each operator by least squares; what trials
 * disagree on is its interval.
 */
function growthOf(model: CostModel, trials: readonly Analysis[]): CostModel['growth'] {
  return Object.fromEntries(
    model.operators.flatMap(({ id, cpu, visits, sink }) => {
      const seen = trials.flatMap(({ rates }) => {
        const more = rates.cpu.busy - model.load;
        const its = rates.operators.find(each => each.id === id);
        if (Math.abs(more) < LEAST_CORES_MORE || its === undefined || !(cpu.estimate > 0)) return [];
        // Idle behind a cache: that says nothing of what it costs. Nothing leaves a sink: elements come to their end there.
        if (!(its.visitRatio > visits / 2)) return [];
        const before = sink === true ? its.visitRatio : visits;
        const ratio = (its.cpuDemand.estimate / its.visitRatio) * (before / cpu.estimate);
        return [{ more, slope: Math.max(0, (ratio - 1) / more) }];
      });
      if (seen.length === 0) return [];
      const weight = seen.reduce((sum, { more }) => sum + more * more, 0);
      const estimate = seen.reduce((sum, { more, slope }) => sum + more * more * slope, 0) / weight;
      const slopes = seen.map(({ slope }) => slope);
      return [[id, { estimate, low: Math.min(...slopes), high: Math.max(...slopes) }]];
    }),
  );
}

/** What is kept is read from memory that has gone cold: cropping a photograph that was decoded a moment ago takes a third of the CPU. */
function withCaches(model: CostModel, trials: readonly Analysis[]): CostModel {
  const kept = trials.flatMap(analysis => {
    const cache = analysis.graph.operators.find(
      ({ id, cache: its }) => its !== undefined && model.operators.every(operator => operator.id !== id),
    );
    const behind = cache?.inputs[0];
    return behind === undefined ? [] : [[behind, behindCache(model, analysis)] as const];
  });
  return { ...model, kept: { ...model.kept, ...Object.fromEntries(kept) } };
}

function behindCache(model: CostModel, analysis: Analysis): BehindCache {
  const { rates } = analysis;
  const cpu = rates.operators.map(({ id, cpuDemand }): [string, Amount] => {
    const grown = grownBy(model.growth[id]?.estimate ?? 0, rates.cpu.busy - model.load);
    return [id, scaled(amountOf(cpuDemand), 1 / grown)];
  });
  return { cpu: Object.fromEntries(cpu), outside: costModelOf(analysis).outside };
}
