import { neededNodes } from '../graph/needed.ts';
import { freeId, insertedAfter, leftOut } from '../graph/rewrite.ts';
import type { Insertable } from '../graph/runtime-rules.ts';
import { kindText } from '../model/kind.ts';
import type { Action } from '../model/plan.ts';
import { partOf } from '../prediction/bound/constraints.ts';
import { taking } from '../prediction/bound/crossing.ts';
import type { BehindCache, PipelineModel } from './model.ts';
import type { ModelOperator } from './operator.ts';
import { modelTopology } from './stages.ts';

/** The model of the pipeline that carrying out `actions` makes of this one: what the engine does, with costs. */
export const rewritten = (model: PipelineModel, actions: readonly Action[]): PipelineModel => {
  const operators = actions.reduce<readonly ModelOperator[]>(
    (sofar, action) => carryOut(sofar, action, model),
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
  { calls, rules }: Pick<PipelineModel, 'calls' | 'rules'>,
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
      return inserted(operators, at, rules.buffer, 0);
    case 'cache':
      return idleUpstream(inserted(operators, at, rules.cache, taking(at, 1)), at.id);
    case 'divide':
      return changed({ sequential: false, parallelism: action.parallelism, inputs: [] });
    case 'remove':
      return leftOut(modelTopology(operators), at, rewire) ?? operators;
  }
}

const rewire = (operator: ModelOperator, inputs: readonly string[]): ModelOperator => ({
  ...operator,
  inputs: [...inputs],
});

function inserted(
  operators: readonly ModelOperator[],
  at: ModelOperator,
  what: Insertable,
  cpu: number,
): readonly ModelOperator[] {
  const topology = modelTopology(operators);
  const id = freeId(topology, `${at.id}/${kindText(what.kind)}`);
  const { visits, bytes, arrays, slowness, stays } = at;
  const handed = { visits, bytes, arrays, slowness, stays };
  const own: ModelOperator = { ...what, id, inputs: [at.id], cpu, blocked: 0, ...handed, idle: false };
  return insertedAfter(topology, at, own, rewire);
}

/** From the second pass on nobody asks those for elements from whom only the cache would read. */
function idleUpstream(operators: readonly ModelOperator[], cached: string): ModelOperator[] {
  const needed = neededNodes(
    modelTopology(operators),
    ({ cache, inputs }) => cache !== undefined && inputs[0] === cached,
  );
  return operators.map(operator =>
    needed.has(operator) ? operator : { ...operator, cpu: 0, blocked: 0, visits: 0, bytes: 0, arrays: 0, idle: true },
  );
}
