import type { Analysis } from '../../analysis/analysis.ts';
import { isInOrder, LEAST_BYTES_PER_SECOND, readerOf, storageWait } from '../../analysis/bottleneck/storage-wait.ts';
import type { OperatorRates, RunRates, StageRates } from '../../analysis/rates/rates.ts';
import { type Interval, scaledBy } from '../../math/statistics.ts';
import { mostBandwidth } from '../../model/disk.ts';
import type { Channel, Graph } from '../../model/graph.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { collecting, crossingFactor, giving, handedBy, taking } from './crossing.ts';
import type { WhatIf } from './resources.ts';
import { slownessOf, watchedOf } from './speed.ts';

/** An upper bound of the throughput with any number of lanes, in counted elements per second. */
export interface Constraint {
  readonly kind: 'cores' | 'sequential' | 'storage' | 'network' | 'consumer' | 'calls';
  /** The operator, for a sequential one and for calls of an async function. */
  readonly operator: string | undefined;
  readonly rate: Interval;
  /** Amount of the resource: cores, bytes per second, seconds of the consumer per element of its own, concurrent calls. */
  readonly supply: number;
}

const inverse = ({ estimate, low, high, confidence }: Interval, supply: number): Interval => ({
  estimate: supply / estimate,
  low: high > 0 ? supply / high : Number.POSITIVE_INFINITY,
  high: low > 0 ? supply / low : Number.POSITIVE_INFINITY,
  confidence,
});

const exactly = (value: number): Interval => ({ estimate: value, low: value, high: value, confidence: 1 });

/**
 * Plumber's linear program, max X with θ_i R_i ≥ X, Σ θ_i ≤ cores, θ_i ≤ 1 for sequential i, has a closed form where one
 * consumer is counted: X = min(cores / Σ D_i, min over sequential 1 / D_i, bandwidth / bytes, 1 / step). Each part is a
 * constraint. `isNeeded` leaves out operators that a cache makes idle.
 */
export function constraintsOf(
  analysis: Analysis,
  whatIf: WhatIf,
  isNeeded: (id: string) => boolean = () => true,
): Constraint[] {
  const { rates } = analysis;
  const cores = whatIf.cores ?? rates.cpu.left;
  // Operators through which no element flows: the CPU of their polling is charged to none.
  const needed = neededOperators(analysis, isNeeded).filter(({ visitRatio }) => visitRatio > 0);
  const { estimate, low, high, confidence } = rates.totalDemand;
  const inOperators = needed.reduce((sum, { cpuDemand }) => sum + cpuDemand.estimate, 0);
  const notInRest =
    rates.operators.reduce((sum, { cpuDemand }) => sum + cpuDemand.estimate, 0) +
    rates.stages.reduce((sum, stage) => sum + stage.overheadDemand - handingOn(analysis, stage, isNeeded), 0) +
    outsideSpared(analysis, isNeeded) +
    backgroundOf(analysis);
  const recorded = Math.max(0, estimate - notInRest) * (areAllNeeded(rates, isNeeded) ? 1 : awake(rates));
  const rest = recorded / watchedOf(analysis);
  const spared = estimate - inOperators - rest;
  const total = { estimate: estimate - spared, low: Math.max(0, low - spared), high: high - spared, confidence };
  const constraints: Constraint[] = [];
  if (total.estimate > 0) {
    constraints.push({ kind: 'cores', operator: undefined, supply: cores, rate: inverse(total, cores) });
  }
  for (const operator of needed) {
    const { id, sequential, cpuDemand } = operator;
    if (!sequential || !(cpuDemand.estimate > 0)) continue;
    const factor = withOverhead(analysis, operator) / cpuDemand.estimate;
    constraints.push({ kind: 'sequential', operator: id, supply: 1, rate: inverse(cpuDemand, 1 / factor) });
  }
  const disk = whatIf.disk ?? analysis.disk;
  const asked = rates.stages
    .filter(({ operators }) => operators.some(isNeeded))
    .reduce((sum, { askedDemand }) => sum + askedDemand, 0);
  const full = disk === undefined ? fullStorage(analysis) : mostBandwidth(disk);
  if (full !== undefined && asked > 0) {
    constraints.push({ kind: 'storage', operator: undefined, supply: full, rate: exactly(full / asked) });
  }
  const received =
    rates.networkIn === undefined || !(rates.rate.estimate > 0) ? 0 : rates.networkIn / rates.rate.estimate;
  if (whatIf.network !== undefined && received > 0) {
    const supply = whatIf.network;
    constraints.push({ kind: 'network', operator: undefined, supply, rate: exactly(supply / received) });
  }
  constraints.push(...waitingInOrder(analysis, isNeeded), ...callLimits(analysis, isNeeded));
  const visits = rates.consumer?.visitRatio ?? 1;
  const step = whatIf.step === undefined ? rates.consumer?.stepDemand : exactly((visits * whatIf.step) / NS_PER_SECOND);
  if (step !== undefined && step.estimate > 0) {
    constraints.push({ kind: 'consumer', operator: undefined, supply: step.estimate / visits, rate: inverse(step, 1) });
  }
  return constraints.sort((a, b) => a.rate.estimate - b.rate.estimate);
}

/** A sequential operator that is blocked on something outside, a queue or a timer, keeps its recorded throughput. */
function waitingInOrder(analysis: Analysis, isNeeded: (id: string) => boolean): Constraint[] {
  const found = storageWait(analysis);
  if (found === undefined || found.rate >= LEAST_BYTES_PER_SECOND) return [];
  const { stage } = found;
  const operator = readerOf(analysis, stage);
  if (!isInOrder(analysis, operator) || !isNeeded(operator)) return [];
  const rate = 1 / (stage.blockedDemand + stage.cpuDemand.estimate);
  return [{ kind: 'sequential', operator, supply: 1, rate: exactly(rate) }];
}

/**
 * Concurrent calls / (latency × calls per element), by Little's law, with the concurrency that the recorded pipeline allows: the
 * service was not observed under more.
 */
function callLimits({ graph, rates }: Analysis, isNeeded: (id: string) => boolean): Constraint[] {
  return rates.operators.flatMap(({ id, calls, stage, visitRatio }): Constraint[] => {
    const concurrency = graph.operators.find(operator => operator.id === id)?.concurrency;
    const lanes = rates.stages.find(each => each.id === stage)?.lanes ?? 1;
    if (calls === undefined || concurrency === undefined || !(calls.time > 0) || !(visitRatio > 0) || !isNeeded(id))
      return [];
    const supply = lanes * concurrency;
    const rate = supply / ((calls.time / NS_PER_SECOND) * visitRatio);
    return [{ kind: 'calls', operator: id, supply, rate: exactly(rate) }];
  });
}

/** No cache makes any of them idle. */
const areAllNeeded = ({ operators }: RunRates, isNeeded: (id: string) => boolean): boolean =>
  operators.every(({ id }) => isNeeded(id));

/** They move references to elements about, and look at none. */
export const movingOperators = ({ operators }: Graph): ReadonlySet<string> =>
  new Set(operators.filter(({ work }) => work !== 'own').map(({ id }) => id));

/** Their CPU per element at most, s, where elements come one after the other. */
const MOVING_ONE = 0.06e-6;

/** Share of an operator's CPU that a thread which never sleeps saves: between sleeps the core's frequency falls and its caches get cold. */
const OF_SLEEP = 0.2;

/** CPU of operators in threads that never sleep. */
function keptBusy({ stages, operators }: RunRates): OperatorRates[] {
  const asleep = new Map(stages.map(({ id, states }) => [id, states.blocked]));
  return operators.map(operator => scaled(operator, 1 - OF_SLEEP * (asleep.get(operator.stage) ?? 0)));
}

/** CPU of the engine and the main thread when no thread of a stage sleeps / as recorded. */
function awake({ stages }: RunRates): number {
  const cpu = stages.reduce((sum, { cpuDemand }) => sum + cpuDemand.estimate, 0);
  const asleep = stages.reduce((sum, { cpuDemand, states }) => sum + cpuDemand.estimate * states.blocked, 0);
  return cpu > 0 ? 1 - (OF_SLEEP * asleep) / cpu : 1;
}

const scaled = (operator: OperatorRates, by: number): OperatorRates => ({
  ...operator,
  cpuDemand: scaledBy(operator.cpuDemand, by),
});

/**
 * Cost of resuming an operator after other operators have evicted its data and branch history, s, and the CPU of theirs that
 * evicts all of it, s. Grouping and padding sentences took 25 and 35 µs between others that took 400, and 10 and 19 without.
 */
const GETTING_GOING = 6e-6;
const FORGOTTEN_AFTER = 200e-6;
/** Upper limit of that cost as a share of the operator's CPU. */
const MOST_GETTING_GOING = 0.5;

/**
 * The operators that still work behind a cache, with their CPU in an unrecorded run. Where a cache makes others idle, the rest
 * find their code and elements in the processor's caches. Those that only move references then cost next to nothing: in the
 * recording, the clock took as long as they did.
 */
export function neededOperators(analysis: Analysis, isNeeded: (id: string) => boolean): OperatorRates[] {
  const { graph, rates } = analysis;
  const unwatched = (operators: OperatorRates[]): OperatorRates[] =>
    operators.map(each => scaled(each, 1 / watchedOf(analysis)));
  if (areAllNeeded(rates, isNeeded)) return unwatched([...rates.operators]);
  const needed = unwatched(keptBusy(rates).filter(({ id }) => isNeeded(id)));
  const visits = new Map(rates.operators.map(({ id, visitRatio }) => [id, visitRatio]));
  const spared = rates.operators.filter(({ id }) => !isNeeded(id));
  const others = spared.reduce((sum, { cpuDemand }) => sum + cpuDemand.estimate, 0);
  const slowness = slownessOf(analysis);
  const moving = movingOperators(graph);
  return needed.map(operator => {
    const { id, cpuDemand } = operator;
    const inputs = graph.operators.find(each => each.id === id)?.inputs ?? [];
    const arriving = inputs.reduce((sum, input) => sum + (visits.get(input) ?? 0), 0);
    if (!(cpuDemand.estimate > 0)) return operator;
    if (moving.has(id)) return scaled(operator, Math.min(1, (slowness * MOVING_ONE * arriving) / cpuDemand.estimate));
    const forgotten = slowness * GETTING_GOING * Math.min(arriving, others / FORGOTTEN_AFTER);
    return scaled(operator, 1 - Math.min(MOST_GETTING_GOING, forgotten / cpuDemand.estimate));
  });
}

/** Whether both sides of a channel are divisible, and so could be one stage without the channel's overhead. */
function couldBeFused({ graph, rates }: Analysis, { from, to }: Channel): boolean {
  const isDivisible = (id: string): boolean => rates.operators.some(each => each.id === id && !each.sequential);
  const readers = graph.operators.filter(({ inputs }) => inputs.includes(from));
  return isDivisible(from) && isDivisible(to) && readers.length === 1 && readers[0]?.inputs.length === 1;
}

/**
 * A stage's overhead for the channels both of whose ends are needed. Where a cache makes some operators idle, elements come
 * faster and warmer than in the recording, so the modelled overhead is an upper limit. Where it makes none idle, channels between
 * stages that could be fused are left out.
 */
export function handingOn(analysis: Analysis, stage: StageRates, isNeeded: (id: string) => boolean): number {
  const { operators, overheadDemand } = stage;
  const areAll = areAllNeeded(analysis.rates, isNeeded);
  const factor = crossingFactor(analysis);
  const channels = analysis.graph.channels.filter(({ from, to }) => operators.includes(from) || operators.includes(to));
  const reckoned = (list: readonly Channel[]): number =>
    list.reduce((sum, { from, to }) => {
      const handed = handedBy(analysis, from);
      const given = operators.includes(from) ? giving(handed, factor) : 0;
      return sum + given + (operators.includes(to) ? taking(handed, factor) : 0);
    }, 0);
  const all = reckoned(channels);
  if (!(all > 0)) return operators.some(isNeeded) ? overheadDemand : 0;
  const left = reckoned(
    channels.filter(channel =>
      areAll ? !couldBeFused(analysis, channel) : isNeeded(channel.from) && isNeeded(channel.to),
    ),
  );
  return Math.min(areAll ? overheadDemand : left, (overheadDemand * left) / all);
}

/** CPU seconds per element outside all stages: in the main thread, and in threads that are not the engine's. */
export function outsideStages({ stages, totalDemand }: RunRates): number {
  const inStages = stages.reduce((sum, { cpuDemand }) => sum + cpuDemand.estimate, 0);
  return Math.max(0, totalDemand.estimate - inStages);
}

/**
 * Idle CPU of a recorded run's main thread, cores: timers, counters, sampling of the machine. Measured on a pipeline that sleeps;
 * where elements are rare it is a good part of the apparent CPU per element.
 */
const BACKGROUND = 0.01;
/** In addition where an operator has several readers: the main thread then checks often for a standstill. */
const OF_BRANCHES = 0.015;
/** CPU of waking the main thread for an element, s. Not charged near the bound, where several come at once. */
const WAKING = 25e-6;
/** Least CPU of the main thread per element, s. */
const LEAST_IN_MAIN = 8e-6;

/** The part of the CPU per element that is this background work, s. */
export function backgroundOf(analysis: Analysis): number {
  const { graph, rates } = analysis;
  const slowness = slownessOf(analysis);
  if (!(rates.rate.estimate > 0)) return 0;
  const inMainThread = Math.max(0, outsideStages(rates) - rates.outsideDemand - slowness * LEAST_IN_MAIN);
  const inputs = graph.operators.flatMap(operator => operator.inputs);
  const idle = BACKGROUND + (new Set(inputs).size < inputs.length ? OF_BRANCHES : 0);
  const { waitShare = 0, visitRatio = 0 } = rates.consumer ?? {};
  const wakings = waitShare * visitRatio;
  return Math.min(inMainThread, slowness * (idle / rates.rate.estimate + WAKING * wakings));
}

/**
 * CPU of the collector and of users' own threads that is saved with idle operators: collection for the remaining channels is
 * modelled, the rest is proportional to the operators' CPU.
 */
function outsideSpared(analysis: Analysis, isNeeded: (id: string) => boolean): number {
  const { graph, rates } = analysis;
  const freed = graph.channels
    .filter(({ from, to }) => isNeeded(from) && isNeeded(to))
    .reduce((sum, { from }) => sum + collecting(handedBy(analysis, from)), 0);
  const byCpu = Math.max(0, rates.outsideDemand - freed);
  return byCpu * (1 - partOf(rates.operators, ({ cpuDemand }) => cpuDemand.estimate, isNeeded));
}

/** Share of the needed operators in the CPU of all; 1 where there is no CPU. */
export function partOf<T extends { readonly id: string }>(
  operators: readonly T[],
  cpuOf: (operator: T) => number,
  isNeeded: (id: string) => boolean,
): number {
  const sum = (list: readonly T[]): number => list.reduce((sofar, each) => sofar + cpuOf(each), 0);
  const all = sum(operators);
  return all > 0 ? sum(operators.filter(({ id }) => isNeeded(id))) / all : 1;
}

/** Bandwidth of storage where the recording shows that it was saturated. */
function fullStorage(analysis: Analysis): number | undefined {
  const found = storageWait(analysis);
  return found?.why === 'bandwidth' ? found.rate : undefined;
}

/** CPU per element in the one thread of a sequential operator and of those that share it, s. */
export interface InOrder {
  readonly operator: string;
  readonly seconds: number;
}

/** The constraints with more CPU per element, s: `inOrder` of it in the one thread of a sequential operator, if any. */
export const withMoreWork = (constraints: readonly Constraint[], more: number, inOrder?: InOrder): Constraint[] =>
  [
    ...constraints.map(each =>
      each.kind === 'cores' ? { ...each, rate: slowed(each.rate, more / each.supply) } : each,
    ),
    ...(inOrder !== undefined && inOrder.seconds > 0
      ? [{ kind: 'sequential' as const, operator: inOrder.operator, supply: 1, rate: exactly(1 / inOrder.seconds) }]
      : []),
  ].sort((a, b) => a.rate.estimate - b.rate.estimate);

/** Throughput when each element takes so many seconds longer. */
const slowed = ({ estimate, low, high, confidence }: Interval, seconds: number): Interval => ({
  estimate: 1 / (1 / estimate + seconds),
  low: 1 / (1 / low + seconds),
  high: 1 / (1 / high + seconds),
  confidence,
});

/** An operator's CPU with its share of its stage's channel overhead. */
export function withOverhead({ rates }: Analysis, { stage: id, cpuDemand }: OperatorRates): number {
  const stage = rates.stages.find(each => each.id === id);
  const inOperators = (stage?.cpuDemand.estimate ?? 0) - (stage?.overheadDemand ?? 0);
  const part = inOperators > 0 ? cpuDemand.estimate / inOperators : 0;
  return cpuDemand.estimate + part * (stage?.overheadDemand ?? 0);
}
