import { sumOf } from '../../math/totals.ts';
import { type ArrangedStage, type Arrangement, recordedArrangement } from './arrangement.ts';
import type { CostModel, CostOperator, RecordedStage } from './model.ts';

export interface StageLanes {
  readonly stage: string;
  /** Those that can be divided among lanes, where there are any. */
  readonly operators: readonly string[];
  /** The one with most CPU. */
  readonly main: string;
  readonly now: number;
  /** Lanes that a rate needs. */
  readonly wanted: number;
}

/** Planned utilisation of lanes: at full utilisation, neighbours would have to wait (Plumber, RCNN: no spare lane costs a quarter). */
export const PLANNED_BUSY = 0.85;

/** Lanes of every recorded stage for a rate: for operators that can be divided; those that see all elements in order keep one of their own. */
export function lanesFor(model: CostModel, rate: number): StageLanes[] {
  const recorded = recordedArrangement(model);
  return model.stages.map((stage, at) => stageLanes(stage, recorded.stages[at]?.operators ?? [], rate));
}

function stageLanes(
  { id, lanes, overhead }: RecordedStage,
  members: readonly CostOperator[],
  rate: number,
): StageLanes {
  const divisible = members.filter(({ sequential }) => !sequential);
  const working = divisible.length > 0 ? divisible : members;
  const cpu = (list: readonly CostOperator[]): number => sumOf(list, each => each.cpu.estimate);
  const all = cpu(members);
  const ofOverhead = overhead * (all > 0 ? cpu(divisible) / all : 1);
  // More threads are no cure for waiting on calls: more of these at once are.
  const asleep = sumOf(members, ({ calling, blocked }) => (calling > 0 ? 0 : blocked));
  const demand = cpu(divisible) + ofOverhead + asleep;
  return {
    stage: id,
    operators: working.map(each => each.id),
    main: working.reduce((most, each) => (each.cpu.estimate > most.cpu.estimate ? each : most)).id,
    now: lanes,
    wanted: divisible.length === 0 ? 1 : Math.max(1, Math.ceil((demand * rate) / PLANNED_BUSY)),
  };
}

/** The recorded stages with so many lanes. Where operators in order share a stage with others, they get stages of their own. */
export function withLanes(model: CostModel, wanted: readonly StageLanes[]): Arrangement {
  const recorded = recordedArrangement(model);
  const stages = recorded.stages.flatMap((stage, at): ArrangedStage[] => {
    const lanes = wanted[at]?.wanted ?? stage.lanes;
    if (stage.operators.every(({ sequential }) => sequential)) return [stage];
    // What several lanes were recorded in can be divided, batches included.
    if (lanes === 1 || stage.lanes > 1 || stage.operators.every(({ sequential }) => !sequential))
      return [{ ...stage, lanes }];
    return runsOf(stage.operators).map(operators => ({
      operators,
      lanes: operators[0]?.sequential === true ? 1 : lanes,
      chunks: operators.at(-1)?.chunks ?? 0,
    }));
  });
  return { ...recorded, stages };
}

/** Neighbours that are alike in that they can be divided, or not. Lanes that get as many elements as were counted make batches themselves, and repeat them. */
function runsOf(operators: readonly CostOperator[]): CostOperator[][] {
  const runs: CostOperator[][] = [];
  for (const operator of operators) {
    const last = runs.at(-1);
    const isInLanes =
      (operator.gathers ?? operator.repeats) !== undefined &&
      operator.parallelism === undefined &&
      last?.[0]?.sequential === false;
    const isAlike = last?.[0]?.sequential === operator.sequential;
    if (isAlike || (isInLanes && last?.every(isCounted) === true)) last?.push(operator);
    else runs.push([operator]);
  }
  return runs;
}

const isCounted = ({ elements, keepsOrder, gathers }: CostOperator): boolean =>
  gathers !== undefined || (elements === 'same' && keepsOrder);
