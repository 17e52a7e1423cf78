import type { Analysis } from '../../analysis/analysis.ts';
import { isInOrder, LEAST_BYTES_PER_SECOND, readerOf, reading } from '../../analysis/findings/reading.ts';
import type { OperatorRates, RunRates, StageRates } from '../../analysis/rates/rates.ts';
import { type Interval, scaledBy } from '../../math/statistics.ts';
import { mostBandwidth } from '../../model/disk.ts';
import type { Channel, Graph } from '../../model/graph.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { collecting, crossingFactor, giving, handedBy, taking } from './crossing.ts';
import type { WhatIf } from './resources.ts';
import { slownessOf, watchedOf } from './speed.ts';

/** Something the rate cannot exceed, with however many lanes; counted elements per second. */
export interface Constraint {
  readonly kind: 'cores' | 'sequential' | 'storage' | 'network' | 'consumer' | 'calls';
  /** The operator, for a sequential one and for calls of an async function. */
  readonly operator: string | undefined;
  readonly rate: Interval;
  /** How much of the resource there is, in its own unit: cores, bytes per second, seconds the consumer takes for an element of its own, calls at once. */
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
  // What looks now and then whether anything has come, and nothing ever does, takes no element any time.
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

/** What sees all elements in order and waits for something outside, a queue or a timer, gives no more than it gave. */
function waitingInOrder(analysis: Analysis, isNeeded: (id: string) => boolean): Constraint[] {
  const found = reading(analysis);
  if (found === undefined || found.rate >= LEAST_BYTES_PER_SECOND) return [];
  const { stage } = found;
  const operator = readerOf(analysis, stage);
  if (!isInOrder(analysis, operator) || !isNeeded(operator)) return [];
  const rate = 1 / (stage.blockedDemand + stage.cpuDemand.estimate);
  return [{ kind: 'sequential', operator, supply: 1, rate: exactly(rate) }];
}

/**
 * Calls at once by what each takes (Little's law): as many as the recorded pipeline may have under way, since what a service does with
 * more nobody has seen.
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

/** What one element takes in them at most, s, where elements come one after the other. */
const MOVING_ONE = 0.06e-6;

/** Of what an operator takes, the part it would not take in a thread that never sleeps: between sleeps its core gets slow and cold. */
const OF_SLEEP = 0.2;

/** The operators as they would be in threads that are kept busy. */
function keptBusy({ stages, operators }: RunRates): OperatorRates[] {
  const asleep = new Map(stages.map(({ id, states }) => [id, states.blocked]));
  return operators.map(operator => scaled(operator, 1 - OF_SLEEP * (asleep.get(operator.stage) ?? 0)));
}

/** What is left of the engine's and the main thread's work when the threads that do ours are kept busy. */
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
 * What an operator takes to get going again after others' work, s, since the processor has forgotten its data and branches, and how much of
 * theirs that needs, s. Grouping and padding sentences took 25 and 35 µs between others that took 400, and 10 and 19 without them.
 */
const GETTING_GOING = 6e-6;
const FORGOTTEN_AFTER = 200e-6;
/** Of what an operator takes, the part that this is at most. */
const MOST_GETTING_GOING = 0.5;

/**
 * The operators that are needed, when nobody records them. Where others are not, because a cache makes them idle, they are taken to find
 * themselves and their elements in the processor's caches: between others' work they do not. Those that only move elements about then take
 * next to nothing, and the clock takes as long as they do.
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

/** Both sides of a channel can be divided, and could be one stage: then nothing would have to be handed on. */
function couldBeFused({ graph, rates }: Analysis, { from, to }: Channel): boolean {
  const isDivisible = (id: string): boolean => rates.operators.some(each => each.id === id && !each.sequential);
  const readers = graph.operators.filter(({ inputs }) => inputs.includes(from));
  return isDivisible(from) && isDivisible(to) && readers.length === 1 && readers[0]?.inputs.length === 1;
}

/**
 * Of what a stage spends on handing elements on, that for channels both of whose ends are needed. Where some are not, elements will come
 * much faster than in the recording, in which each found everything cold: they take what is reckoned at most. Where all are, channels between
 * stages that could be one are spared.
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

/** CPU seconds per element outside all stages: in the main thread, and in none of ours. */
export function outsideStages({ stages, totalDemand }: RunRates): number {
  const inStages = stages.reduce((sum, { cpuDemand }) => sum + cpuDemand.estimate, 0);
  return Math.max(0, totalDemand.estimate - inStages);
}

/**
 * Cores that the main thread of a recorded run has use for when nothing flows: timers, counters, the figures of the machine. Measured on
 * a pipeline that sleeps; where elements are rare it is a good part of what each seems to take.
 */
const BACKGROUND = 0.01;
/** And where an operator is read by several: then it looks often whether all wait for each other. */
const OF_BRANCHES = 0.015;
/** CPU seconds for waking it for an element that it waits for. Where the bound is reached, several come at once, or wait for it. */
const WAKING = 25e-6;
/** What one takes it at least, s. */
const LEAST_IN_MAIN = 8e-6;

/** What each element is charged of all that, s. */
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
 * What the collector and threads of the user's own need not do for operators that are idle: what is freed behind channels that are left
 * is known, and the rest goes by the operators' CPU.
 */
function outsideSpared(analysis: Analysis, isNeeded: (id: string) => boolean): number {
  const { graph, rates } = analysis;
  const freed = graph.channels
    .filter(({ from, to }) => isNeeded(from) && isNeeded(to))
    .reduce((sum, { from }) => sum + collecting(handedBy(analysis, from)), 0);
  const byCpu = Math.max(0, rates.outsideDemand - freed);
  return byCpu * (1 - partOf(rates.operators, ({ cpuDemand }) => cpuDemand.estimate, isNeeded));
}

/** How much of all operators' CPU those have that are needed: all of it where there is none. */
export function partOf<T extends { readonly id: string }>(
  operators: readonly T[],
  cpuOf: (operator: T) => number,
  isNeeded: (id: string) => boolean,
): number {
  const sum = (list: readonly T[]): number => list.reduce((sofar, each) => sofar + cpuOf(each), 0);
  const all = sum(operators);
  return all > 0 ? sum(operators.filter(({ id }) => isNeeded(id))) / all : 1;
}

/** What storage gave where the recording shows that it gave all it had. */
function fullStorage(analysis: Analysis): number | undefined {
  const found = reading(analysis);
  return found?.why === 'bandwidth' ? found.rate : undefined;
}

/** What an element takes the one thread of an operator and those it shares that with, s. */
export interface InOrder {
  readonly operator: string;
  readonly seconds: number;
}

/** The same where each element takes so much more CPU, `inOrder` of it in the one thread of an operator, if it is any; seconds. */
export const withMoreWork = (constraints: readonly Constraint[], more: number, inOrder?: InOrder): Constraint[] =>
  [
    ...constraints.map(each =>
      each.kind === 'cores' ? { ...each, rate: slowed(each.rate, more / each.supply) } : each,
    ),
    ...(inOrder !== undefined && inOrder.seconds > 0
      ? [{ kind: 'sequential' as const, operator: inOrder.operator, supply: 1, rate: exactly(1 / inOrder.seconds) }]
      : []),
  ].sort((a, b) => a.rate.estimate - b.rate.estimate);

/** Rates when each element takes so many seconds longer. */
const slowed = ({ estimate, low, high, confidence }: Interval, seconds: number): Interval => ({
  estimate: 1 / (1 / estimate + seconds),
  low: 1 / (1 / low + seconds),
  high: 1 / (1 / high + seconds),
  confidence,
});

/** An operator's CPU with its part of what its stage spends on handing elements on. */
export function withOverhead({ rates }: Analysis, { stage: id, cpuDemand }: OperatorRates): number {
  const stage = rates.stages.find(each => each.id === id);
  const inOperators = (stage?.cpuDemand.estimate ?? 0) - (stage?.overheadDemand ?? 0);
  const part = inOperators > 0 ? cpuDemand.estimate / inOperators : 0;
  return cpuDemand.estimate + part * (stage?.overheadDemand ?? 0);
}
