import { sumOf } from '../../math/totals.ts';
import { type AmountEnd, demandEnd } from './amount.ts';
import { type ArrangedStage, type Arrangement, costTopology } from './arrangement.ts';
import { sideCost, type Traffic } from './handing.ts';
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

/** Channel traffic and demands of a stage, per counted element. */
interface StageCosts {
  readonly stage: ArrangedStage;
  /** Traffic that comes to it and that leaves it. Every reader gets a copy. */
  readonly arriving: readonly Traffic[];
  readonly leaving: readonly Traffic[];
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
  const topology = costTopology(operators);
  return stages.map(stage => {
    const [first] = stage.operators;
    const last = stage.operators.at(-1);
    return {
      stage,
      arriving: first === undefined ? [] : [...new Set(topology.inputs(first))],
      leaving: last === undefined ? [] : Array.from({ length: Math.max(1, topology.readers(last).length) }, () => last),
    };
  });
}

/**
 * CPU seconds of operators together where `load` cores are in use. Errors of single operators are taken as independent, and that of
 * their sum as no less than the noise of all CPU in the recording.
 */
function cpuOf(model: CostModel, operators: readonly CostOperator[], end: AmountEnd, load: number): number {
  const its = demandEnd(end);
  const slowed = operators.map(operator => {
    const { cpu } = operator;
    const slowdown = slowdownAt(model, operator, end, load);
    return { estimate: cpu.estimate * slowdown, off: (cpu[its] - cpu.estimate) * slowdown };
  });
  const estimate = sumOf(slowed, each => each.estimate);
  const off = Math.max(model.noise * estimate, Math.hypot(...slowed.map(each => each.off)));
  if (end === 'estimate') return estimate;
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

function atLoad(
  model: CostModel,
  arrangement: Arrangement,
  stages: readonly StageCosts[],
  end: AmountEnd,
  load: number,
): Evaluation {
  const { handing } = model;
  const its = demandEnd(end);
  const handedOn = stages.map(({ stage, arriving, leaving }) => {
    const received = sumOf(arriving, traffic => sideCost(handing.receive, traffic, its));
    const sent = sumOf(leaving, traffic => sideCost(handing.send, traffic, its));
    const woken = end === 'low' ? sumOf(arriving, ({ chunks }) => chunks * handing.wake) : 0;
    const unexplained = sumOf(stage.operators, ({ overhead }) => overhead[its]);
    return Math.max(0, received + sent + unexplained) + woken;
  });
  const collected = sumOf(
    stages.flatMap(({ arriving }) => arriving),
    ({ arrays }) => arrays * handing.collectArray[its],
  );
  const own = cpuOf(model, arrangement.operators, end, load);
  const cpu = own + arrangement.outside[its] + collected + sumOf(handedOn, cost => cost);
  let rate = cpu > 0 ? model.cores / cpu : Number.POSITIVE_INFINITY;
  let binding: Binding = { kind: 'cores' };
  const limit = (most: number, by: () => Binding): void => {
    if (!(most < rate)) return;
    rate = most;
    binding = by();
  };
  stages.forEach(({ stage }, at) => {
    const busy = cpuOf(model, stage.operators, end, load) + (handedOn[at] ?? 0);
    const time = busy + sumOf(stage.operators, ({ blocked }) => blocked);
    if (time > 0) limit(stage.lanes / time, () => stageBinding(stage));
  });
  const { storage, network, consumer } = model;
  const asked = sumOf(arrangement.operators, each => each.asked);
  if (storage !== undefined && asked > 0) limit(storage / asked, () => ({ kind: 'storage' }));
  if (network !== undefined && network.received > 0)
    limit(network.bytesPerSecond / network.received, () => ({ kind: 'network' }));
  if (consumer !== undefined && consumer.step[its] > 0) limit(1 / consumer.step[its], () => ({ kind: 'consumer' }));
  const copied = end === 'high' ? 0 : bytesCopied(arrangement, stages);
  const lanes = sumOf(stages, ({ stage }) => stage.lanes);
  const bandwidth = bandwidthAt(model.paces, Math.min(model.cores, lanes));
  if (bandwidth !== undefined && copied > 0) limit(bandwidth / copied, () => ({ kind: 'memory' }));
  return { rate, binding, cpu };
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
