import type { ModelOperator } from '../operator.ts';
import { modelTopology } from '../stages.ts';

/** Neighbours that can be divided among threads together: each the only reader of the one before. */
export function divisibleRuns(
  operators: readonly ModelOperator[],
  keep: ReadonlySet<string>,
): readonly (readonly ModelOperator[])[] {
  const topology = modelTopology(operators);
  const runs: ModelOperator[][] = [];
  const runOf = new Map<ModelOperator, ModelOperator[]>();
  for (const operator of operators) {
    if (operator.sequential || operator.idle || operator.origin === true || keep.has(operator.id)) continue;
    if (operator.endsStage === true) continue;
    const [input] = topology.inputs(operator);
    const before = input === undefined || topology.readers(input).length > 1 ? undefined : runOf.get(input);
    const run = before ?? [];
    if (before === undefined) runs.push(run);
    run.push(operator);
    runOf.set(operator, run);
  }
  return runs;
}

/** Lanes are planned to be busy for this part of the time: those that never wait make their neighbours wait. */
const PLANNED_BUSY = 0.85;
/** More lanes than this are not planned. */
export const MOST_LANES = 32;

/**
 * Lanes for work of `cpu` seconds on a core and `blocked` asleep per element, at `rate`. A spare one beside a dominant
 * operator costs nothing; beyond the cores there are, only sleep is a reason for more.
 */
export function lanesFor(cpu: number, blocked: number, rate: number, cores: number): number {
  const wanted = Math.ceil((rate * cpu) / PLANNED_BUSY + rate * blocked - 1e-9);
  const most = Math.ceil(cores - 1e-9) + Math.ceil(rate * blocked);
  return Math.max(1, Math.min(wanted, most, MOST_LANES));
}
