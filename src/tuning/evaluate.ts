import { BETWEEN_THREADS } from '../prediction/bound/crossing.ts';
import type { PipelineModel } from './model.ts';
import type { ModelOperator } from './operator.ts';
import { growthAt } from './scaling.ts';
import { type ModelStage, stagesOf } from './stages.ts';

/** What a pipeline is reckoned to deliver with the lanes it has. */
export interface Evaluation {
  /** Elements per second. */
  readonly rate: number;
  readonly binding: Binding;
  readonly stages: readonly ModelStage[];
  readonly lanes: number;
  /** CPU seconds per element, everything together. */
  readonly cpu: number;
}

/** What keeps the rate from rising. */
export type Binding =
  | { readonly kind: 'cores' }
  /** A stage; `main` is its operator with most CPU. */
  | { readonly kind: 'lanes' | 'sequential'; readonly main: string; readonly operators: readonly string[] }
  | { readonly kind: 'storage' | 'network' | 'consumer' };

/** Rounds in which costs, which grow with the cores in use, and the rate, which falls with costs, come to agree. */
const ROUNDS = 4;

/** Operational analysis: no stage delivers more than its lanes can, and all of them no more than the cores. */
export function evaluate(model: PipelineModel): Evaluation {
  const stages = stagesOf(model.operators, model.rules.fusing);
  const lanes = stages.reduce((sum, stage) => sum + stage.lanes, 0);
  if (stages.some(cannotHandOn))
    return { rate: 0, binding: { kind: 'cores' }, cpu: Number.POSITIVE_INFINITY, stages, lanes };
  let load = model.load;
  let best = at(model, stages, load);
  for (let round = 0; round < ROUNDS && model.growth.size > 0; round++) {
    load = Math.min(model.cores, best.rate * best.cpu);
    best = at(model, stages, load);
  }
  return { ...best, stages, lanes };
}

/** The run would fail at the first element that is to leave it. */
function cannotHandOn({ operators }: ModelStage): boolean {
  const last = operators.at(-1);
  return last?.stays === true && !last.idle;
}

/** CPU seconds of a stage per element when `load` cores are in use. */
function costOf(model: PipelineModel, stage: ModelStage, load: number): number {
  const own = stage.operators.reduce((sum, { id, cpu }) => sum + cpu * growthAt(model, id, load), 0);
  return own + stage.crossing * model.crossingFactor + stage.arrays * BETWEEN_THREADS;
}

const heaviest = ({ operators }: ModelStage): string =>
  operators.reduce<ModelOperator | undefined>(
    (most, each) => (most === undefined || each.cpu > most.cpu ? each : most),
    undefined,
  )?.id ?? '';

function at(
  model: PipelineModel,
  stages: readonly ModelStage[],
  load: number,
): Pick<Evaluation, 'rate' | 'binding' | 'cpu'> {
  const costs = stages.map(stage => costOf(model, stage, load));
  const cpu = model.outside + costs.reduce((sum, cost) => sum + cost, 0);
  let rate = model.cores / cpu;
  let binding: Binding = { kind: 'cores' };
  stages.forEach((stage, index) => {
    const time = (costs[index] ?? 0) + stage.blocked;
    const most = time > 0 ? stage.lanes / time : Number.POSITIVE_INFINITY;
    if (!(most < rate)) return;
    rate = most;
    binding = {
      kind: stage.operators.some(({ sequential }) => !sequential) ? 'lanes' : 'sequential',
      main: heaviest(stage),
      operators: stage.operators.map(({ id }) => id),
    };
  });
  const idle = new Set(model.operators.filter(operator => operator.idle).map(({ id }) => id));
  for (const limit of model.limits(id => !idle.has(id))) {
    if (!(limit.rate < rate)) continue;
    rate = limit.rate;
    binding = { kind: limit.kind };
  }
  return { rate, binding, cpu };
}
