import { laneShare } from '../../graph/channel-shape.ts';
import { neededNodes } from '../../graph/needed.ts';
import { freeId, insertedAfter, leftOut } from '../../graph/rewrite.ts';
import type { Insertable, RuntimeRules } from '../../graph/runtime-rules.ts';
import { cutStages, type FusedStage } from '../../graph/stages.ts';
import { Topology } from '../../graph/topology.ts';
import { sumOf } from '../../math/totals.ts';
import { kindText } from '../../model/kind.ts';
import type { Action } from '../../model/plan.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { type Amount, NOTHING } from './amount.ts';
import { sideCost } from './handing.ts';
import type { CostModel, CostOperator } from './model.ts';

/** Operators that share a loop, which so many lanes run. */
export interface ArrangedStage {
  readonly operators: readonly CostOperator[];
  readonly lanes: number;
  /** Chunks that leave it for each of its readers, per counted element. */
  readonly chunks: number;
}

/** A pipeline as it is to run: what shares a stage, in how many lanes, with which caches and buffers. Plain data. */
export interface Arrangement {
  /** Upstream first, with those that a plan puts in. */
  readonly operators: readonly CostOperator[];
  readonly stages: readonly ArrangedStage[];
  /** CPU seconds per counted element outside all stages. */
  readonly outside: Amount;
}

/** `operators` upstream first. */
export const costTopology = (operators: readonly CostOperator[]): Topology<CostOperator> =>
  new Topology(operators, operator => operator);

/** The arrangement of the recording. */
export function recordedArrangement({ operators, stages, outside }: CostModel): Arrangement {
  const byId = new Map(operators.map(operator => [operator.id, operator]));
  return {
    operators,
    stages: stages.map(({ operators: ids, lanes }) => {
      const its = ids.flatMap(id => byId.get(id) ?? []);
      return { lanes, operators: its, chunks: its.at(-1)?.chunks ?? 0 };
    }),
    outside,
  };
}

/** Operators in the stages that a runtime makes of them. */
export function staged(operators: readonly CostOperator[], rules: RuntimeRules, outside: Amount): Arrangement {
  const topology = costTopology(operators);
  return { operators, stages: inChunks(topology, cutStages(topology, rules.fusing), rules), outside };
}

/**
 * Stages with the chunks that leave them. A divided one hands on a chunk for each that it gets; others fit theirs to the consumer,
 * and give one that waits a chunk for each that they get.
 */
function inChunks(
  topology: Topology<CostOperator>,
  stages: readonly FusedStage<CostOperator>[],
  rules: RuntimeRules,
): ArrangedStage[] {
  const chunksFrom = new Map<string, number>();
  const secondsOf = ({ nodes }: FusedStage<CostOperator>): number =>
    sumOf(nodes, ({ cpu, blocked }) => cpu.estimate + blocked);
  const readersOf = ({ nodes }: FusedStage<CostOperator>): FusedStage<CostOperator>[] =>
    stages.filter(({ nodes: [reader] }) =>
      reader === undefined ? false : topology.inputs(reader).some(({ id }) => id === nodes.at(-1)?.id),
    );
  /** Elements that lanes make whole batches of, here and further on. */
  const wholeFor = (stage: FusedStage<CostOperator>): number => {
    if (stage.lanes <= 1) return 1;
    const [reader, ...others] = readersOf(stage);
    const further = reader === undefined || others.length > 0 ? 1 : wholeFor(reader);
    return stage.nodes.reduce((elements, { gathers = 1 }) => elements * gathers, further);
  };
  return stages.map(stage => {
    const { nodes, lanes } = stage;
    const [first, last] = [nodes[0], nodes.at(-1)];
    const arriving = first === undefined ? [] : topology.inputs(first);
    const got = sumOf(arriving, input => chunksFrom.get(input.id) ?? 0);
    const chunksFor = (reader: FusedStage<CostOperator>, from: CostOperator): number => {
      const elements = rules.chunkElements({
        last: from,
        lanes: Math.max(lanes, reader.lanes),
        bytesPerElement: from.bytes / from.visits,
        consumerNs: (secondsOf(reader) * NS_PER_SECOND) / from.visits,
        concurrency: reader.nodes.find(({ calling }) => calling > 0)?.concurrency,
        whole: wholeFor(reader),
      });
      const isWaiting = secondsOf(reader) / reader.lanes < secondsOf(stage) / lanes;
      return Math.max(from.visits / elements, isWaiting ? Math.min(from.visits, got) : 0);
    };
    const readers = readersOf(stage);
    let chunks = last?.chunks ?? 0;
    if (lanes > 1 && arriving.length > 0) chunks = got;
    else if (last !== undefined && last.visits > 0 && readers.length > 0)
      chunks = Math.max(...readers.map(reader => chunksFor(reader, last)));
    if (last !== undefined) chunksFrom.set(last.id, chunks);
    return { operators: nodes, lanes, chunks };
  });
}

/**
 * The arrangement that a runtime makes of a pipeline once actions are carried out. Caches are full, as from the second pass on, unless
 * `pass` is the first, in which everything upstream of them still works.
 */
export function arrange(
  model: CostModel,
  actions: readonly Action[],
  { rules, pass = 'later' }: { readonly rules: RuntimeRules; readonly pass?: 'first' | 'later' },
): Arrangement {
  const operators = actions.reduce<readonly CostOperator[]>(
    (sofar, action) => carryOut(model, sofar, action, rules, pass),
    model.operators,
  );
  const cache = actions.find(({ kind }) => kind === 'cache');
  const seen = pass === 'first' || cache === undefined ? undefined : model.kept[cache.operator];
  const changed =
    seen === undefined
      ? operators
      : operators.map(each => (each.idle ? each : { ...each, cpu: seen.cpu[each.id] ?? each.cpu }));
  const arranged = staged(changed, rules, model.outside);
  return { ...arranged, outside: seen?.outside ?? outsideOf(model, arranged) };
}

/**
 * CPU outside all stages: as recorded, unless operators are idle before a full cache. Then the consumer's part is in proportion to the CPU of the operators that
 * still work. The rest is mostly the collector's: it is in proportion to the bytes of typed arrays that are still written, those read out of the cache among them,
 * or to CPU where there are none. A recording does not say which operators caused it, so the upper end has all of it, times how much less memory each lane has.
 */
function outsideOf(model: CostModel, { operators, stages }: Arrangement): Amount {
  const { outside, unaccounted } = model;
  const idle = new Set(operators.filter(each => each.idle).map(({ id }) => id));
  if (idle.size === 0) return outside;
  const byCpu = cpuShare(model.operators, id => !idle.has(id));
  const before = bytesWritten(model.operators);
  const byBytes = before > 0 ? Math.min(1, bytesWritten(operators) / before) : byCpu;
  // Lanes upstream of a full cache are gone.
  const working = stages.filter(stage => stage.operators.some(each => !each.idle));
  const share = (of: readonly { readonly lanes: number }[]): number =>
    laneShare(
      1,
      sumOf(of, ({ lanes }) => lanes),
    );
  const oftener = before > 0 ? Math.max(1, share(model.stages) / share(working)) : 1;
  const consumer = (outside.estimate - unaccounted) * byCpu;
  return { estimate: consumer + unaccounted * byBytes, low: 0, high: consumer + unaccounted * oftener };
}

/** In typed arrays, per counted element. */
const bytesWritten = (operators: readonly CostOperator[]): number =>
  sumOf(operators, ({ work, arrays, bytes }) => (work === 'own' && arrays > 0 ? bytes : 0));

/** Share of the needed operators in the CPU of all: the collector and threads of the user's own work for them in proportion. */
export function cpuShare(operators: readonly CostOperator[], isNeeded: (id: string) => boolean): number {
  const all = sumOf(operators, ({ cpu }) => cpu.estimate);
  const needed = sumOf(operators, ({ id, cpu }) => (isNeeded(id) ? cpu.estimate : 0));
  return all > 0 ? needed / all : 1;
}

function carryOut(
  model: CostModel,
  operators: readonly CostOperator[],
  action: Action,
  rules: RuntimeRules,
  pass: 'first' | 'later',
): readonly CostOperator[] {
  const at = operators.find(({ id }) => id === action.operator);
  if (at === undefined) return operators;
  const changed = (change: Partial<CostOperator>): readonly CostOperator[] =>
    operators.map(operator => (operator === at ? { ...operator, ...change } : operator));
  switch (action.kind) {
    case 'parallelism': {
      const { parallelism: _, ...rest } = at;
      const by = action.to === undefined ? rest : { ...rest, parallelism: action.to };
      return operators.map(operator => (operator === at ? by : operator));
    }
    case 'concurrency': {
      const seen = model.calls[at.id];
      const isSeen = seen?.concurrency === action.to && seen.blocked !== undefined;
      // Calls wait at the same time; the latency of a call is taken not to change.
      const before = action.from ?? at.concurrency ?? action.to;
      const blocked = isSeen ? seen.blocked : at.blocked / (action.to / before);
      return changed({ concurrency: action.to, blocked });
    }
    case 'prefetch':
      return inserted(operators, at, bufferOf(rules, action), NOTHING);
    case 'cache': {
      const reading = (end: keyof Amount): number => sideCost(model.handing.receive, at, end);
      const cpu = { estimate: reading('estimate'), low: reading('low'), high: reading('high') };
      const cached = inserted(operators, at, rules.cache, cpu);
      return pass === 'first' ? cached : idleUpstream(cached, at.id);
    }
    case 'divide':
      return changed({ sequential: false, parallelism: action.parallelism, inputs: [] });
    case 'remove':
      return leftOut(costTopology(operators), at, rewire) ?? operators;
  }
}

const bufferOf = (
  { buffer }: RuntimeRules,
  { elements, slots }: Extract<Action, { kind: 'prefetch' }>,
): Insertable => ({
  ...buffer,
  settings: { ...buffer.settings, elements, ...(slots === undefined ? {} : { slots }) },
});

const rewire = (operator: CostOperator, inputs: readonly string[]): CostOperator => ({
  ...operator,
  inputs: [...inputs],
});

function inserted(
  operators: readonly CostOperator[],
  at: CostOperator,
  what: Insertable,
  cpu: Amount,
): readonly CostOperator[] {
  const topology = costTopology(operators);
  const { visits, bytes, arrays, objects, chunks, stays } = at;
  const own: CostOperator = {
    ...what,
    ...NO_DEMANDS,
    id: freeId(topology, `${at.id}/${kindText(what.kind)}`),
    inputs: [at.id],
    cpu,
    visits,
    bytes,
    arrays,
    objects,
    chunks,
    stays,
  };
  return insertedAfter(topology, at, own, rewire);
}

/** Demands of an operator that does nothing. */
export const NO_DEMANDS = {
  cpu: NOTHING,
  overhead: NOTHING,
  blocked: 0,
  waitsInOrder: false,
  calling: 0,
  asked: 0,
  visits: 0,
  bytes: 0,
  arrays: 0,
  objects: 0,
  chunks: 0,
  stays: false,
  idle: false,
} as const;

/** From the second pass on nobody asks those for elements from whom only the cache would read. */
function idleUpstream(operators: readonly CostOperator[], cached: string): CostOperator[] {
  const needed = neededNodes(
    costTopology(operators),
    ({ cache, inputs }) => cache !== undefined && inputs[0] === cached,
  );
  return operators.map(operator =>
    needed.has(operator) ? operator : { ...operator, ...NO_DEMANDS, stays: operator.stays, idle: true },
  );
}
