import { backgroundOf, outsideStages } from '../prediction/bound/constraints.ts';
import { BETWEEN_THREADS, crossingFactor } from '../prediction/bound/crossing.ts';
import type { BehindCache, PipelineModel } from './model.ts';
import { growthAt, type Round } from './scaling.ts';

/**
 * With what was measured in trials that had a cache. What is kept is read from memory that has gone cold, which a recording
 * without a cache knows nothing of: cropping a photograph that was decoded a moment ago takes a third of the CPU.
 */
export function withKept(model: PipelineModel, rounds: readonly Round[]): PipelineModel {
  const kept = new Map(
    rounds.flatMap(({ analysis }) => {
      const cache = analysis.graph.operators.find(
        ({ id, cache: kept }) => kept !== undefined && model.operators.every(operator => operator.id !== id),
      );
      const behind = cache?.inputs[0];
      return behind === undefined ? [] : [[behind, seen(model, { analysis })] as const];
    }),
  );
  return kept.size === 0 ? model : { ...model, kept };
}

function seen(model: PipelineModel, { analysis }: Round): BehindCache {
  const { rates } = analysis;
  const cpu = rates.operators.map(
    ({ id, cpuDemand }) => [id, cpuDemand.estimate / growthAt(model, id, rates.cpu.busy)] as const,
  );
  return {
    cpu: new Map(cpu),
    crossingFactor: crossingFactor(analysis, BETWEEN_THREADS),
    outside: outsideStages(rates) - backgroundOf(analysis),
  };
}
