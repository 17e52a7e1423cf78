import type { Action } from '../model/plan.ts';
import { partOf } from '../prediction/bound/constraints.ts';
import { taking } from '../prediction/bound/crossing.ts';
import type { BehindCache, PipelineModel } from './model.ts';
import type { ModelOperator } from './operator.ts';

/** The model of the pipeline that carrying out `actions` makes of this one: what the engine does, with costs. */
export const rewritten = (model: PipelineModel, actions: readonly Action[]): PipelineModel => {
  const operators = actions.reduce<readonly ModelOperator[]>(
    (sofar, action) => carryOut(sofar, action, model.calls),
    model.operators,
  );
  const idle = new Set(operators.filter(operator => operator.idle).map(({ id }) => id));
  // The collector and threads of the user's own work for all of them, by their CPU.
  const busy = partOf(
    model.operators,
    ({ cpu }) => cpu,
    id => !idle.has(id),
  );
  const changed = { ...model, operators, outside: model.outside * busy };
  const cache = actions.find(({ kind }) => kind === 'cache');
  const seen = model.kept.get(cache?.operator ?? '');
  return seen === undefined ? changed : asSeen(changed, seen);
};

/** Where such a cache has been tried, costs are those of that trial. */
const asSeen = (model: PipelineModel, { cpu, crossingFactor, outside }: BehindCache): PipelineModel => ({
  ...model,
  crossingFactor,
  outside,
  operators: model.operators.map(operator =>
    operator.idle ? operator : { ...operator, cpu: cpu.get(operator.id) ?? operator.cpu },
  ),
});

function carryOut(
  operators: readonly ModelOperator[],
  action: Action,
  calls: PipelineModel['calls'],
): readonly ModelOperator[] {
  const at = operators.find(({ id }) => id === action.operator);
  if (at === undefined) throw new Error(`the model has no operator ${action.operator}`);
  const changed = (change: Partial<ModelOperator>): readonly ModelOperator[] =>
    operators.map(operator => (operator === at ? { ...at, ...change } : operator));
  switch (action.kind) {
    case 'parallelism': {
      const { parallelism: _, ...rest } = at;
      const by = action.to === undefined ? rest : { ...rest, parallelism: action.to };
      return operators.map(operator => (operator === at ? by : operator));
    }
    case 'concurrency': {
      const seen = calls.get(at.id);
      if (seen?.concurrency === action.to && seen.blocked !== undefined) return changed({ blocked: seen.blocked });
      // Calls wait at the same time; what a call takes is taken not to change.
      const more = action.to / (action.from ?? action.to);
      return changed({ blocked: at.blocked / more });
    }
    case 'prefetch':
      return inserted(operators, at, { kind: 'prefetch', sequential: false, cpu: 0 });
    case 'cache':
      return idleUpstream(inserted(operators, at, { kind: 'cache', sequential: true, cpu: taking(at, 1) }), at.id);
    case 'divide':
      return changed({ kind: 'flatMap', sequential: false, parallelism: action.parallelism, inputs: [] });
    case 'remove':
      return operators
        .filter(operator => operator !== at)
        .map(operator => reading(operator, at.id, at.inputs[0] ?? at.id));
  }
}

const inserted = (
  operators: readonly ModelOperator[],
  at: ModelOperator,
  { kind, sequential, cpu }: Pick<ModelOperator, 'kind' | 'sequential' | 'cpu'>,
): ModelOperator[] => {
  const id = freeId(operators, `${at.id}/${kind}`);
  const { visits, bytes, arrays, slowness, stays } = at;
  const own: ModelOperator = {
    id,
    kind,
    label: kind,
    inputs: [at.id],
    settings: {},
    sequential,
    cpu,
    blocked: 0,
    visits,
    bytes,
    arrays,
    slowness,
    stays,
    idle: false,
  };
  return operators.flatMap(operator => (operator === at ? [at, own] : [reading(operator, at.id, id)]));
};

/** The engine's way to name what it puts in. */
function freeId(operators: readonly ModelOperator[], id: string): string {
  const taken = new Set(operators.map(operator => operator.id));
  const named = (place: number): string => (place === 1 ? id : `${id}:${place}`);
  let place = 1;
  while (taken.has(named(place))) place++;
  return named(place);
}

const reading = (operator: ModelOperator, from: string, to: string): ModelOperator =>
  operator.inputs.includes(from)
    ? { ...operator, inputs: operator.inputs.map(input => (input === from ? to : input)) }
    : operator;

/** From the second pass on nobody asks those for elements from whom only the cache would read. */
function idleUpstream(operators: readonly ModelOperator[], cached: string): ModelOperator[] {
  const needed = new Set<string>();
  const byId = new Map(operators.map(operator => [operator.id, operator]));
  const read = new Set(operators.flatMap(({ inputs }) => inputs));
  const visit = (id: string): void => {
    const operator = byId.get(id);
    if (operator === undefined || needed.has(id)) return;
    needed.add(id);
    if (operator.kind !== 'cache' || operator.inputs[0] !== cached) for (const input of operator.inputs) visit(input);
  };
  for (const { id } of operators) if (!read.has(id)) visit(id);
  return operators.map(operator =>
    needed.has(operator.id)
      ? operator
      : { ...operator, cpu: 0, blocked: 0, visits: 0, bytes: 0, arrays: 0, idle: true },
  );
}
