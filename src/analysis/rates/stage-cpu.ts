import { sumOf } from '../../math/totals.ts';
import type { Operator } from '../../model/graph.ts';
import type { Metric } from '../../model/metric.ts';
import { NS_PER_MICROSECOND } from '../../model/units.ts';

/** Quantile of the normal distribution that leaves 2.5 % on each side. */
const Z_95 = 1.96;

/** Timed elements of one operator inside a fused loop. */
export interface SampledOperator {
  /** Elements timed. */
  readonly elements: number;
  /** Their time, ns. */
  readonly time: number;
  /** Sum of their squared times, µs². */
  readonly squares: number;
  /** Elements it worked on in all. */
  readonly worked: number;
  /** Timed by the thread's CPU clock, piece by piece, and not element by element. */
  readonly byCpuClock: boolean;
  /** Its calls are awaited: what they wait for is no element's time. */
  readonly awaited: boolean;
}

/**
 * The timed elements of an operator, of all that it worked on. In one that only passes elements on, the clock measures
 * nothing but itself: its times count as 0.
 */
export function sampledOf(operator: Operator, worked: number, timed: (metric: Metric) => number): SampledOperator {
  const by = operator.work === 'none' ? 0 : 1;
  return {
    elements: timed('sampledElements'),
    time: by * timed('sampledTime'),
    squares: by * timed('sampledSquares'),
    worked,
    byCpuClock: operator.origin === true,
    awaited: operator.concurrency !== undefined,
  };
}

/** CPU and its 95 % interval, ns. */
export interface CpuPart {
  readonly cpu: number;
  readonly low: number;
  readonly high: number;
  /** Time asleep of its thread, ns. */
  readonly asleep: number;
}

/** Of a stage's CPU, what is left to operators that were seen to work in its loop, whatever the clocks say of the rest. */
const LEAST_IN_LOOP = 0.02;

/**
 * Divides the CPU time of a fused stage, which is exact, among its operators, and the time its thread slept: in proportion to
 * timed sleep where there is any, else to CPU time, among operators with awaited calls where there are any.
 *
 * Times of the CPU clock are taken as they are, and the loop gets the rest. Elements that are timed one by one take longer
 * than the others, because they leave the loop that V8 compiled into one piece of machine code: such times are good for
 * comparing operators of the loop, and too long in comparison with a clock that runs outside.
 */
export function divideStageCpu(cpu: number, operators: readonly SampledOperator[], asleep = 0): CpuPart[] {
  const parts = divideAwake(cpu, operators, asleep);
  const unseen = Math.max(
    0,
    parts.reduce((left, part) => left - part.asleep, asleep),
  );
  const awaited = operators.some(operator => operator.awaited);
  const weights = parts.map((part, at) => (awaited && operators[at]?.awaited !== true ? 0 : part.cpu || 1));
  const all = sumOf(weights, weight => weight);
  return parts.map((part, at) => ({ ...part, asleep: part.asleep + (unseen * (weights[at] ?? 0)) / all }));
}

function divideAwake(cpu: number, operators: readonly SampledOperator[], asleep: number): CpuPart[] {
  const clocked = operators.filter(({ byCpuClock }) => byCpuClock);
  const timed = operators.filter(({ byCpuClock }) => !byCpuClock);
  const outside = sumOf(clocked, timeOfAll);
  const inLoop = sumOf(timed, timeOfAll);
  if (!(outside > 0) || !(inLoop > 0)) return divideByTime(cpu, operators, asleep);
  const rest = Math.max(cpu - outside, Math.min(inLoop, LEAST_IN_LOOP * cpu));
  const [measured, estimated] = [divideByTime(cpu - rest, clocked), divideByTime(rest, timed, asleep)];
  // Both keep the order of `operators`.
  return operators.map(({ byCpuClock }) => (byCpuClock ? measured : estimated).shift() ?? NOTHING);
}

export const NOTHING: CpuPart = { cpu: 0, low: 0, high: 0, asleep: 0 };

/**
 * By what they would take by themselves.
 *
 * Of N_i elements n_i were timed, together t_i, so T_i = N_i / n_i · t_i estimates the operator's time: operators may be
 * sampled at different rates, and one whose every element was timed has no error. The part p_i = T_i / ΣT has, by the
 * delta method, Var p_i = ((1 − p_i)² Var T_i + p_i² Σ_{j≠i} Var T_j) / (ΣT)², operators taken as independent. An
 * operator alone has all of it and no error.
 */
function divideByTime(cpu: number, operators: readonly SampledOperator[], asleep = 0): CpuPart[] {
  const timed = operators.map(timeOfAll);
  const slept = sleepOf(cpu, timed, asleep);
  if (operators.length === 1) return [{ cpu, low: cpu, high: cpu, asleep: slept[0] ?? 0 }];
  const times = timed.map((time, i) => time - (slept[i] ?? 0));
  const total = sumOf(times, time => time);
  if (!(total > 0)) return divideBlindly(cpu, operators);

  // The relative error of the time awake is that of the whole time.
  const variances = operators.map((operator, i) => {
    const awake = timed[i] ? (times[i] ?? 0) / timed[i] : 1;
    return varianceOfTime(operator) * awake * awake;
  });
  return operators.map((operator, i) => {
    const part = (times[i] ?? 0) / total;
    if (operator.elements === 0) return { ...NOTHING, high: operator.worked > 0 ? cpu : 0 };
    let variance = 0;
    variances.forEach((other, j) => {
      const weight = i === j ? 1 - part : part;
      if (weight > 0) variance += weight * weight * other;
    });
    const error = (Z_95 * Math.sqrt(variance)) / total;
    const [low, high] = [cpu * Math.max(0, part - error), cpu * Math.min(1, part + error)];
    return { cpu: cpu * part, low, high, asleep: slept[i] ?? 0 };
  });
}

/** Least time awake / time, of an operator that sleeps. */
const LEAST_AWAKE = 0.005;

/**
 * Time asleep of each operator. Operators that read or wait sleep for most of their time and others not at all, so sleep is given to those
 * with the longest times. Waiting outside timed elements, such as for calls under way, is no operator's: together they
 * slept no longer than Σ times - CPU.
 */
function sleepOf(cpu: number, times: readonly number[], asleep: number): number[] {
  const slept = times.map(() => 0);
  let left = Math.min(asleep, sumOf(times, time => time) - cpu);
  for (const at of [...times.keys()].sort((a, b) => (times[b] ?? 0) - (times[a] ?? 0))) {
    if (!(left > 0)) break;
    slept[at] = Math.min(left, (1 - LEAST_AWAKE) * (times[at] ?? 0));
    left -= slept[at];
  }
  return slept;
}

const timeOfAll = ({ elements, time, worked }: SampledOperator): number =>
  elements === 0 ? 0 : (time * Math.max(worked, elements)) / elements;

/** ns². Below two samples nothing bounds it, unless they were all there was. */
function varianceOfTime({ elements, time, squares, worked }: SampledOperator): number {
  if (elements === 0 || elements >= worked) return 0;
  if (elements < 2) return Number.POSITIVE_INFINITY;
  // The sum of squares is kept in whole µs²: up to one may be missing, which for short functions is not nothing.
  const sumOfSquares = (squares + 1) * NS_PER_MICROSECOND * NS_PER_MICROSECOND;
  const spread = Math.max(0, sumOfSquares - (time * time) / elements) / (elements - 1);
  // Var (N/n · Σ) with the correction for drawing n of N without replacement.
  return (worked * worked * spread * (1 - elements / worked)) / elements;
}

/** Nothing was timed: evenly among those that worked, and anything is possible. */
function divideBlindly(cpu: number, operators: readonly SampledOperator[]): CpuPart[] {
  const working = operators.filter(({ worked }) => worked > 0).length;
  const isCounted = (operator: SampledOperator): boolean => operator.worked > 0 || working === 0;
  const part = cpu / (working === 0 ? operators.length : working);
  return operators.map(operator => (isCounted(operator) ? { cpu: part, low: 0, high: cpu, asleep: 0 } : NOTHING));
}
