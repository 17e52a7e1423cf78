import type { Analysis } from '../analysis/analysis.ts';
import type { PipelineModel } from './model.ts';

/** A recording of the same pipeline under another load. */
export interface Round {
  readonly analysis: Analysis;
}

/** Cores more than were in use before, for a second recording to say anything about growth. */
const LEAST_DIFFERENCE = 0.2;
/** Costs never fall with load, and do not double with one core more. */
const MOST_GROWTH = 0.5;
/** Operators with less of the CPU than this are noise. */
const LEAST_SHARE = 0.01;

/**
 * Rates shrink as cores fill: shared caches, memory bandwidth, two threads on a core. CPU per element is taken to grow
 * linearly with the cores in use, d(L) = d(L₀)(1 + g (L - L₀)), with g fitted to each operator by least squares.
 */
export function grown(model: PipelineModel, rounds: readonly Round[]): PipelineModel {
  const growth = new Map<string, number>();
  const total = model.operators.reduce((sum, { cpu }) => sum + cpu, 0);
  for (const { id, cpu } of model.operators) {
    if (!(cpu > LEAST_SHARE * total)) continue;
    let top = 0;
    let bottom = 0;
    for (const { analysis } of rounds) {
      const more = analysis.rates.cpu.busy - model.load;
      const then = analysis.rates.operators.find(each => each.id === id);
      const before = model.operators.find(each => each.id === id);
      if (Math.abs(more) < LEAST_DIFFERENCE || then === undefined || before === undefined) continue;
      // Idle behind a cache: that says nothing of what it costs.
      if (!(then.visitRatio > 0.5 * before.visits)) continue;
      // Nothing leaves a sink: elements come to their end there, now as before.
      const visits = before.sink === true ? then.visitRatio : before.visits;
      const ratio = (then.cpuDemand.estimate / then.visitRatio) * (visits / cpu);
      top += more * (ratio - 1);
      bottom += more * more;
    }
    if (bottom > 0) growth.set(id, Math.max(0, Math.min(MOST_GROWTH, top / bottom)));
  }
  return growth.size === 0 ? model : { ...model, growth };
}

/** How many times its CPU an operator takes when `load` cores are in use. */
export const growthAt = ({ growth, load: then }: PipelineModel, id: string, load: number): number =>
  Math.max(0.5, 1 + (growth.get(id) ?? 0) * (load - then));
