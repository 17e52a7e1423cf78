import { isLent } from '../../graph/lending.ts';
import { sumOf } from '../../math/totals.ts';
import { type AmountEnd, demandEnd } from './amount.ts';
import { type ArrangedStage, type Arrangement, costTopology } from './arrangement.ts';
import { asLent, sideCost, type Traffic } from './handing.ts';
import type { CostModel, CostOperator } from './model.ts';
import { bandwidthAt, paceRatio } from './pace.ts';

/** What an arrangement is evaluated to deliver. */
export interface Evaluation {
  /** Counted elements per second. */
  readonly rate: number;
  readonly binding: Binding;
  /** CPU seconds per counted element, everything together. */
  readonly cpu: number;
}

/** What keeps the rate from rising. */
export type Binding =
  | { readonly kind: 'cores' }
  /** A stage; `main` is its operator with most CPU. */
  | { readonly kind: 'lanes' | 'sequential'; readonly main: string; readonly operators: readonly string[] }
  | { readonly kind: 'storage' | 'network' | 'memory' | 'consumer' };

/** Channel traffic of a stage, per counted element. */
interface StageCosts {
  readonly stage: ArrangedStage;
  /** Traffic that comes to it. Every reader gets a copy, or is lent it. */
  readonly arriving: readonly Traffic[];
  /** Typed arrays with memory of their own that come to it, per counted element. */
  readonly copies: number;
  /** What leaves it, once for each reader. */
  readonly leaving: readonly Leaving[];
}

interface Leaving extends Traffic {
  /** The stage that gets it; the consumer where it is none. */
  readonly to: ArrangedStage | undefined;
}

/**
 * Operational analysis: no stage delivers more than its lanes can, and all of them no more than the cores, storage, the network,
 * memory and the consumer. `end` low takes every demand at the high end of its interval, and high at the low end.
 */
export function evaluate(model: CostModel, arrangement: Arrangement, end: AmountEnd = 'estimate'): Evaluation {
  if (arrangement.stages.some(cannotHandOn))
    return { rate: 0, binding: { kind: 'cores' }, cpu: Number.POSITIVE_INFINITY };
  const stages = stageCosts(arrangement);
  const at = (load: number): Evaluation => atLoad(model, arrangement, stages, end, load);
  const dependsOnLoad = model.paces.length > 0 || Object.keys(model.growth).length > 0;
  if (!dependsOnLoad) return at(model.load);
  // Costs grow with the cores in use, and the rate falls with costs: the load at which both agree lies between none and all cores.
  let [few, many] = [0, model.cores];
  for (let width = many; width > model.cores * LOAD_PRECISION; width /= 2) {
    const middle = (few + many) / 2;
    const { rate, cpu } = at(middle);
    if (Math.min(model.cores, rate * cpu) > middle) few = middle;
    else many = middle;
  }
  return at(many);
}

/** Precision of the load at which costs and rate agree, as a share of the cores: far below any measurement's. */
const LOAD_PRECISION = 1e-3;

/** The run would fail at the first element that is to leave it. */
function cannotHandOn({ operators }: ArrangedStage): boolean {
  const last = operators.at(-1);
  return last?.stays === true && !last.idle;
}

function stageCosts({ operators, stages }: Arrangement): StageCosts[] {
  // By id: of an arrangement that was read from JSON, stages and operators are copies of each other.
  const topology = costTopology(operators);
  const byId = new Map(operators.map(operator => [operator.id, operator]));
  const placed = (operator: CostOperator | undefined): CostOperator | undefined => byId.get(operator?.id ?? '');
  const chunksFrom = new Map(stages.map(({ operators: its, chunks }) => [its.at(-1)?.id, chunks]));
  const stageAt = new Map(stages.map(stage => [stage.operators[0]?.id, stage]));
  const traffic = (from: CostOperator): Traffic => ({ ...from, chunks: chunksFrom.get(from.id) ?? from.chunks });
  return stages.map(stage => {
    const [first, last] = [placed(stage.operators[0]), placed(stage.operators.at(-1))];
    const to = last === undefined ? [] : topology.readers(last).map(({ placed: { id } }) => stageAt.get(id));
    const from = first === undefined ? [] : [...new Set(topology.inputs(first))].map(traffic);
    const lends = isLent(stage.operators, from.length);
    return {
      stage,
      arriving: lends ? from.map(asLent) : from,
      copies: lends ? 0 : sumOf(from, ({ arrays }) => arrays),
      leaving:
        last === undefined ? [] : (to.length > 0 ? to : [undefined]).map(each => ({ ...traffic(last), to: each })),
    };
  });
}

/**
 * CPU seconds of operators together where `load` cores are in use. Errors of single operators are taken as independent. That of the sum
 * over a recorded stage is the noise of all CPU in the recording, since its lanes' clocks have told that sum: what is
 * unknown of some of its operators is no more than what is unknown of the others.
 */
function cpuOf(model: CostModel, operators: readonly CostOperator[], end: AmountEnd, load: number): number {
  const its = demandEnd(end);
  const slowed = operators.map(operator => {
    const { cpu } = operator;
    const slowdown = slowdownAt(model, operator, end, load);
    return { estimate: cpu.estimate * slowdown, off: (cpu[its] - cpu.estimate) * slowdown };
  });
  const estimate = sumOf(slowed, each => each.estimate);
  if (end === 'estimate') return estimate;
  const ids = new Set(operators.map(({ id }) => id));
  const offs = new Map(slowed.map((each, at) => [operators[at]?.id, each.off]));
  const byStage = model.stages.map(stage => {
    const inside = stage.operators.flatMap(id => offs.get(id) ?? []);
    const others = model.operators.filter(({ id }) => stage.operators.includes(id) && !ids.has(id));
    return Math.min(Math.hypot(...inside), Math.hypot(...others.map(({ cpu }) => cpu[its] - cpu.estimate)));
  });
  const off = Math.max(model.noise * estimate, Math.hypot(...byStage));
  return end === 'low' ? estimate + off : Math.max(0, estimate - off);
}

/** CPU of an operator where `load` cores are in use / in the recording. */
function slowdownAt(model: CostModel, operator: CostOperator, end: AmountEnd, load: number): number {
  const { id, cpu, bytes, work } = operator;
  const growth = model.growth[id];
  if (growth !== undefined) return grownBy(growth[demandEnd(end)], load - model.load);
  const alone = bandwidthAt(model.paces, 1);
  if (alone === undefined) return 1;
  const memoryShare = cpu.estimate > 0 && work === 'own' ? Math.min(1, bytes / alone / cpu.estimate) : 0;
  return paceRatio(model.paces, { load, recorded: model.load, memoryShare }, end);
}

/** Cost with `more` cores in use / without: linear above the recorded load, and its inverse below. */
export const grownBy = (growth: number, more: number): number =>
  more >= 0 ? 1 + growth * more : 1 / (1 - growth * more);

/** Share of chunks that find their receiver asleep, by stage; undefined: the consumer. */
type Idle = (receiver: ArrangedStage | undefined) => number;

const NEVER: Idle = () => 0;

/** Evaluated twice: the rate without waking says how busy each stage is, and a stage is asleep for the rest of its time. */
function atLoad(
  model: CostModel,
  arrangement: Arrangement,
  stages: readonly StageCosts[],
  end: AmountEnd,
  load: number,
): Evaluation {
  const at = (idle: Idle): Loaded => loaded(model, arrangement, stages, { end, load, idle });
  const awake = at(NEVER);
  const { rate, binding, cpu } = at(receiver => {
    const used = awake.rate * (awake.seconds.get(receiver) ?? 0);
    return used < 1 ? 1 - used : 0;
  });
  return { rate, binding, cpu };
}

interface Loaded extends Evaluation {
  /** By stage, and undefined for the consumer: seconds that all its lanes together take per counted element / lanes. */
  readonly seconds: ReadonlyMap<ArrangedStage | undefined, number>;
}

function loaded(
  model: CostModel,
  arrangement: Arrangement,
  stages: readonly StageCosts[],
  { end, load, idle }: { readonly end: AmountEnd; readonly load: number; readonly idle: Idle },
): Loaded {
  const { handing, storage, network, consumer } = model;
  const its = demandEnd(end);
  const receiving = (traffic: readonly Traffic[]): number =>
    sumOf(traffic, each => sideCost(handing.receive, each, its));
  const sending = (leaving: readonly Leaving[]): number =>
    sumOf(leaving, each => sideCost(handing.send, each, its) + each.chunks * idle(each.to) * handing.waker[its]);
  const handedOn = stages.map(({ stage, arriving, leaving }) => {
    const unexplained = sumOf(stage.operators, ({ overhead }) => overhead[its]);
    return Math.max(0, receiving(arriving) + sending(leaving) + unexplained);
  });
  const leaving = stages.flatMap(stage => stage.leaving);
  const consumed = receiving(leaving.filter(({ to }) => to === undefined));
  // Who is woken has time for it: it takes of the cores alone.
  const woken = sumOf(leaving, ({ to, chunks }) => chunks * idle(to) * handing.sleeper[its]);
  const collected = sumOf(stages, ({ copies }) => copies * handing.collectArray[its]);
  const own = cpuOf(model, arrangement.operators, end, load);
  const cpu = own + arrangement.outside[its] + collected + woken + sumOf(handedOn, cost => cost);
  let rate = cpu > 0 ? model.cores / cpu : Number.POSITIVE_INFINITY;
  let binding: Binding = { kind: 'cores' };
  const limit = (most: number, by: () => Binding): void => {
    if (!(most < rate)) return;
    rate = most;
    binding = by();
  };
  const seconds = new Map<ArrangedStage | undefined, number>();
  stages.forEach(({ stage, arriving }, at) => {
    const busy = cpuOf(model, stage.operators, end, load) + (handedOn[at] ?? 0);
    // At worst a channel holds so little that each of its sides waits for the other, chunk by chunk.
    const asleep = end === 'low' ? handing.delay * sumOf(arriving, ({ chunks }) => chunks) : 0;
    const time = busy + asleep + sumOf(stage.operators, ({ blocked }) => blocked);
    seconds.set(stage, time / stage.lanes);
    if (time > 0) limit(stage.lanes / time, () => stageBinding(stage));
  });
  const asked = sumOf(arrangement.operators, each => each.asked);
  if (storage !== undefined && asked > 0) limit(storage / asked, () => ({ kind: 'storage' }));
  if (network !== undefined && network.received > 0)
    limit(network.bytesPerSecond / network.received, () => ({ kind: 'network' }));
  const step = (consumer?.step[its] ?? 0) + consumed;
  seconds.set(undefined, step);
  if (step > 0) limit(1 / step, () => ({ kind: 'consumer' }));
  const copied = end === 'high' ? 0 : bytesCopied(arrangement, stages);
  const lanes = sumOf(stages, ({ stage }) => stage.lanes);
  const bandwidth = bandwidthAt(model.paces, Math.min(model.cores, lanes));
  if (bandwidth !== undefined && copied > 0) limit(bandwidth / copied, () => ({ kind: 'memory' }));
  return { rate, binding, cpu, seconds };
}

/**
 * Bytes written per counted element: by operators with work of their own, and by both sides of every channel. What stays in the
 * processor's caches is among them, so that the fast end of a forecast leaves memory out.
 */
function bytesCopied({ operators }: Arrangement, stages: readonly StageCosts[]): number {
  const written = operators.filter(({ work }) => work === 'own');
  const handedOn = stages.flatMap(({ arriving, leaving }) => [...arriving, ...leaving]);
  return sumOf([...written, ...handedOn], ({ bytes }) => bytes);
}

const stageBinding = ({ operators }: ArrangedStage): Binding => ({
  kind: operators.some(({ sequential }) => !sequential) ? 'lanes' : 'sequential',
  main: operators.reduce((most, each) => (each.cpu.estimate > most.cpu.estimate ? each : most)).id,
  operators: operators.map(({ id }) => id),
});
