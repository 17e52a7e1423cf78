import { costTopology, staged } from '../../prediction/cost/arrangement.ts';
import { evaluate } from '../../prediction/cost/evaluate.ts';
import { PLANNED_BUSY } from '../../prediction/cost/lanes.ts';
import type { CostOperator } from '../../prediction/cost/model.ts';
import { wholeAbove } from '../cold.ts';
import type { Draft } from '../draft.ts';
import { MOST_LANES } from '../thresholds.ts';

/** Neighbours that can be divided among threads together: each the only reader of the one before. */
export function divisibleRuns(
  operators: readonly CostOperator[],
  keep: ReadonlySet<string>,
): readonly (readonly CostOperator[])[] {
  const topology = costTopology(operators);
  const runs: CostOperator[][] = [];
  const runOf = new Map<CostOperator, CostOperator[]>();
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

/** Rate of a draft whose operators are others. */
export const rateWith = ({ base, rules, arrangement }: Draft, operators: readonly CostOperator[]): number =>
  evaluate(base, staged(operators, rules, arrangement.outside)).rate;

/** Lanes that are more than any operator needs: those beyond the cores wait for something outside. */
export const plentyOf = ({ cores }: { readonly cores: number }): number => MOST_LANES * Math.ceil(cores);

/**
 * Lanes for work of `cpu` seconds on a core and `blocked` asleep per element, at `rate`; those of a ceiling (`prediction/cost/lanes.ts`) know no limit. A spare one beside a dominant
 * operator costs nothing; beyond the cores there are, only sleep is a reason for more.
 */
export function lanesAt(cpu: number, blocked: number, rate: number, cores: number): number {
  const wanted = wholeAbove((rate * cpu) / PLANNED_BUSY + rate * blocked);
  const most = wholeAbove(cores) + Math.ceil(rate * blocked);
  return Math.max(1, Math.min(wanted, most, MOST_LANES));
}
