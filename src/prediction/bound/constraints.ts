import type { Analysis } from '../../analysis/analysis.ts';
import { reading } from '../../analysis/findings/reading.ts';
import type { OperatorRates, RunRates, StageRates } from '../../analysis/rates/rates.ts';
import type { Interval } from '../../math/statistics.ts';
import { mostBandwidth } from '../../model/disk.ts';
import type { Channel } from '../../model/graph.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { collecting, crossing, handedBy, mostHanding } from './crossing.ts';
import type { WhatIf } from './resources.ts';

/** Something the rate cannot exceed, with however many lanes; root elements per second. */
export interface Constraint {
  readonly kind: 'cores' | 'sequential' | 'storage' | 'network' | 'consumer';
  /** The operator, for a sequential one. */
  readonly operator: string | undefined;
  readonly rate: Interval;
  /** How much of the resource there is, in its own unit: cores, bytes per second, or seconds for the consumer. */
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
  const { rates, host } = analysis;
  const cores = whatIf.cores ?? host.coresUsable;
  const needed = rates.operators.filter(({ id }) => isNeeded(id));
  const idle = rates.operators.filter(({ id }) => !isNeeded(id));
  const spared =
    idle.reduce((sum, { cpuDemand }) => sum + cpuDemand.estimate, 0) +
    rates.stages.reduce((sum, stage) => sum + stage.overheadDemand - handingOn(analysis, stage, isNeeded), 0) +
    outsideSpared(analysis, isNeeded) +
    backgroundOf(analysis);
  const { estimate, low, high, confidence } = rates.totalDemand;
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
  const step = whatIf.step === undefined ? rates.consumer?.stepDemand : exactly(whatIf.step / NS_PER_SECOND);
  if (step !== undefined && step.estimate > 0) {
    constraints.push({ kind: 'consumer', operator: undefined, supply: step.estimate, rate: inverse(step, 1) });
  }
  return constraints.sort((a, b) => a.rate.estimate - b.rate.estimate);
}

/** Part of a thread's time. One that sleeps longer finds everything cold, and spends more on handing elements on than one that does not. */
const MOSTLY_ASLEEP = 0.5;

/** Of what a stage spends on handing elements on, that for channels both of whose ends are needed. */
export function handingOn(analysis: Analysis, stage: StageRates, isNeeded: (id: string) => boolean): number {
  const { operators, overheadDemand } = stage;
  const channels = analysis.graph.channels.filter(({ from, to }) => operators.includes(from) || operators.includes(to));
  const reckoned = (list: readonly Channel[]): number =>
    list.reduce((sum, { from }) => sum + crossing(handedBy(analysis, from)), 0);
  const all = reckoned(channels);
  if (!(all > 0)) return operators.some(isNeeded) ? overheadDemand : 0;
  const left = channels.filter(({ from, to }) => isNeeded(from) && isNeeded(to));
  const spent = (overheadDemand * reckoned(left)) / all;
  if (stage.states.blocked < MOSTLY_ASLEEP) return spent;
  return Math.min(
    spent,
    left.reduce((sum, { from }) => sum + mostHanding(handedBy(analysis, from)) / 2, 0),
  );
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

/** What each element is charged of that, s. */
function backgroundOf({ rates }: Analysis): number {
  const inMainThread = Math.max(0, outsideStages(rates) - rates.outsideDemand);
  return rates.rate.estimate > 0 ? Math.min(inMainThread, BACKGROUND / rates.rate.estimate) : 0;
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

/** The same where each element takes so much more CPU, `inOrder` of it in the one thread of an operator, if it is any; seconds. */
export const withMoreWork = (
  constraints: readonly Constraint[],
  more: number,
  inOrder?: { readonly operator: string; readonly seconds: number },
): Constraint[] =>
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
