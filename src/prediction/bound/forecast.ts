import type { Analysis } from '../../analysis/analysis.ts';
import type { OperatorRates, StageRates } from '../../analysis/rates/rates.ts';
import { operatorsUpstreamFirst } from '../../graph/upstream-first.ts';
import { estimateIfNarrow, isNarrow } from '../../math/narrow-interval.ts';
import type { Interval } from '../../math/statistics.ts';
import { cachePlaces, WORTH_KEEPING } from './caches.ts';
import {
  type Constraint,
  constraintsOf,
  handingOn,
  type InOrder,
  movingOperators,
  neededOperators,
  withMoreWork,
} from './constraints.ts';
import { betweenThreads, cold, collecting, crossingFactor, giving, handedBy, taking } from './crossing.ts';
import { crowded } from './crowding.ts';
import type { Assumption, WhatIf } from './resources.ts';

/** Shadow price of a resource (the dual of the linear program), and the number of units for which it holds. */
export interface ShadowPrice {
  readonly kind: Constraint['kind'];
  /** Elements per second for one more core, one more MB/s, or one ms less of the consumer's step. */
  readonly worth: number;
  /** Units after which something else binds. */
  readonly until: number;
}

export interface StageLanes {
  readonly stage: string;
  /** Those that can be divided among lanes, where there are any. */
  readonly operators: readonly string[];
  /** The one with most CPU. */
  readonly main: string;
  readonly now: number;
  /** Lanes that the forecast's rate needs. */
  readonly wanted: number;
}

/** Throughput with an operator's output cached in memory, from the second pass on. */
export interface CacheForecast {
  readonly operator: string;
  readonly bytes: Interval;
  /** Everything upstream is known to give the same elements in every pass. */
  readonly certain: boolean;
  readonly rate: Interval;
  readonly binding: Constraint;
}

/** The most a pipeline can deliver on given resources with as many lanes as it needs. */
export interface Forecast {
  /** As recorded. */
  readonly now: Interval;
  /** Without an estimate where its interval is too wide to be a forecast: then there are no prices, lanes and caches either. */
  readonly rate: Interval;
  readonly binding: Constraint | undefined;
  /** All of them, the tightest first. */
  readonly constraints: readonly Constraint[];
  readonly prices: readonly ShadowPrice[];
  readonly lanes: readonly StageLanes[];
  /** Worthwhile ones, the best first. */
  readonly caches: readonly CacheForecast[];
  readonly assumptions: readonly Assumption[];
}

/**
 * Share of the bound lost to waiting between stages in a pipeline that has the lanes it needs. Set on 200
 * pipelines in virtual time so that bands hold nine times out of ten, and checked on others (docs/predict.md).
 */
const WAITING = 0.015;

export function forecast(analysis: Analysis, whatIf: WhatIf = {}): Forecast {
  const constraints = crowded(analysis, whenDivided(analysis, constraintsOf(analysis, whatIf)));
  const rate = tightest(constraints);
  const { rates, host } = analysis;
  const memory = whatIf.memory ?? host.memoryUsable;
  if (!isNarrow(rate)) {
    const assumptions = assumptionsOf(analysis, whatIf, false);
    return {
      now: rates.rate,
      rate: estimateIfNarrow(rate),
      binding: undefined,
      constraints,
      prices: [],
      lanes: [],
      caches: [],
      assumptions,
    };
  }
  const caches = cachePlaces(analysis, memory)
    .flatMap(({ operator, bytes, certain, spares }): CacheForecast[] => {
      const left = behindCache(analysis, whatIf, operator, id => !spares.has(id));
      const [binding] = left;
      if (binding === undefined) return [];
      return [{ operator, bytes, certain, rate: tightest(left), binding }];
    })
    .filter(cached => isNarrow(cached.rate) && cached.rate.estimate > WORTH_KEEPING * rate.estimate)
    .sort((a, b) => b.rate.estimate - a.rate.estimate || a.bytes.estimate - b.bytes.estimate);
  return {
    now: rates.rate,
    rate,
    binding: constraints[0],
    constraints,
    prices: shadowPrices(constraints),
    lanes: rates.stages.map(stage => lanesOf(analysis, stage, rate.estimate)),
    caches,
    assumptions: assumptionsOf(
      analysis,
      whatIf,
      caches.some(({ certain }) => !certain),
    ),
  };
}

/**
 * Constraints from the second pass on. A cache is read by one thread; the operators behind it share that thread up to one of them,
 * and the rest get threads of their own behind a channel. The split with the highest throughput is taken.
 */
function behindCache(
  analysis: Analysis,
  whatIf: WhatIf,
  cached: string,
  isNeeded: (id: string) => boolean,
): readonly Constraint[] {
  const { graph, rates } = analysis;
  const left = constraintsOf(analysis, whatIf, isNeeded);
  const source = rates.operators.find(({ id }) => id === cached);
  if (source === undefined) return left;
  const { stage } = source;
  const itsStage = rates.stages.find(({ id }) => id === stage);
  const leaving = itsStage === undefined ? 0 : handingOn(analysis, itsStage, isNeeded);
  const factor = crossingFactor(analysis);
  const kept = handedBy(analysis, cached);
  const needed = neededOperators(analysis, isNeeded);
  const moving = movingOperators(graph);
  const taken = taking(kept, factor) + (needed.every(({ id }) => moving.has(id)) ? 0 : cold(kept));
  const collected = collecting(kept);
  const behind = operatorsUpstreamFirst(graph.operators).flatMap(({ id }) =>
    needed.filter(each => each.id === id && each.stage === stage),
  );
  let last = cached;
  let seconds = taken;
  let best: readonly Constraint[] = [];
  for (const [at, next] of [...behind, undefined].entries()) {
    const handed = betweenThreads(handedBy(analysis, last));
    const [given, got] = next === undefined ? [0, 0] : [giving(handed, factor), taking(handed, factor)];
    const inOrder = seconds + (next === undefined ? leaving : given);
    const cut = withMoreWork(left, taken + collected + given + got, { operator: cached, seconds: inOrder });
    const rest = behind.slice(at);
    const together = rest.reduce((sum, { cpuDemand }) => sum + cpuDemand.estimate, leaving + got);
    const longer = inARow({ operator: cached, seconds: inOrder }, { operator: next?.id ?? cached, seconds: together });
    // The rest in one thread, or in as many as it wants.
    const ways =
      next === undefined ? [cut] : [withMoreWork(cut, 0, longer), withMoreWork(cut, dividing(analysis, rest))];
    for (const way of ways.map(each => crowded(analysis, each))) {
      if (best.length === 0 || tightest(way).estimate > tightest(best).estimate) best = way;
    }
    if (next === undefined) break;
    seconds += next.cpuDemand.estimate;
    last = next.id;
  }
  return best;
}

/** Variation of a thread's time per element / its mean: two threads of equal speed in a row reached 0.92 of the throughput of each alone. */
const UNEVEN = 0.1;

/**
 * Time per element of two threads in a row, from that of each: the longer one, and a little more, because their times vary and
 * each waits now and then. The closer the two are, the more.
 */
function inARow(one: InOrder, other: InOrder): InOrder {
  const [a, b] = [one.seconds, other.seconds];
  const { operator } = b > a ? other : one;
  return { operator, seconds: (a + b + Math.hypot(a - b, UNEVEN * Math.hypot(a, b))) / 2 };
}

/** Modelled overhead, s, of a channel behind an operator that the recording did not have. */
function handingOver(analysis: Analysis, id: string, factor: number): number {
  const handed = betweenThreads(handedBy(analysis, id));
  return giving(handed, factor) + taking(handed, factor);
}

/**
 * Overhead, s, of dividing some operators of a stage: new channels between those that get several lanes and the sequential ones
 * before and behind them.
 */
function dividing(analysis: Analysis, members: readonly OperatorRates[]): number {
  const factor = crossingFactor(analysis);
  return members.reduce((sum, { sequential }, at) => {
    const before = members[at - 1];
    if (before === undefined || before.sequential === sequential) return sum;
    return sum + handingOver(analysis, before.id, factor);
  }, 0);
}

/** The constraints with the overhead of dividing stages that want several lanes. A stage that is faster undivided stays so. */
function whenDivided(analysis: Analysis, constraints: readonly Constraint[]): readonly Constraint[] {
  const { rates } = analysis;
  const { estimate } = tightest(constraints);
  const toDivide = rates.stages.filter(stage => stage.lanes === 1 && lanesOf(analysis, stage, estimate).wanted > 1);
  const more = toDivide.reduce((sum, { operators }) => {
    const members = operators.flatMap(id => rates.operators.filter(each => each.id === id));
    return sum + dividing(analysis, members);
  }, 0);
  const whole = Math.min(...toDivide.map(({ cpuDemand, blockedDemand }) => 1 / (cpuDemand.estimate + blockedDemand)));
  const divided = withMoreWork(constraints, more);
  return tightest(divided).estimate > whole ? divided : constraints;
}

/** Planned utilisation of lanes: at full utilisation, neighbours would have to wait. */
const PLANNED_BUSY = 0.85;

/**
 * Lanes for a stage's operators that can be divided; those that see all elements in order keep one of their own. A spare
 * lane for cheap operators beside a dominant one costs nothing, and none of it costs a quarter (Plumber, RCNN).
 */
function lanesOf({ rates }: Analysis, stage: StageRates, rate: number): StageLanes {
  const { id, lanes, cpuDemand, overheadDemand, blockedDemand } = stage;
  const members = rates.operators.filter(each => stage.operators.includes(each.id));
  const divisible = members.filter(({ sequential }) => !sequential);
  const heaviest = (divisible.length > 0 ? divisible : members).reduce<OperatorRates | undefined>(
    (most, each) => (most === undefined || each.cpuDemand.estimate > most.cpuDemand.estimate ? each : most),
    undefined,
  );
  const inOperators = cpuDemand.estimate - overheadDemand;
  const divided = divisible.reduce((sum, each) => sum + each.cpuDemand.estimate, 0);
  // More threads are no cure for waiting on calls: more of these at once are.
  const onCalls = members.reduce((sum, { calls, blockedDemand: its }) => sum + (calls === undefined ? 0 : its), 0);
  const asleep = Math.max(0, blockedDemand - onCalls);
  const demand = (inOperators > 0 ? divided / inOperators : 1) * cpuDemand.estimate + asleep;
  return {
    stage: id,
    operators: (divisible.length > 0 ? divisible : members).map(each => each.id),
    main: heaviest?.id ?? id,
    now: lanes,
    wanted: divisible.length === 0 ? 1 : Math.max(1, Math.ceil((demand * rate) / PLANNED_BUSY)),
  };
}

/** The least of several: each end is the least of theirs, the lower one with what waiting may cost. */
function tightest(constraints: readonly Constraint[]): Interval {
  const least = (end: 'estimate' | 'low' | 'high'): number =>
    constraints.reduce((sofar, { rate }) => Math.min(sofar, rate[end]), Number.POSITIVE_INFINITY);
  const confidence = constraints.reduce((sofar, { rate }) => Math.min(sofar, rate.confidence), 1);
  return { estimate: least('estimate'), low: least('low') * (1 - WAITING), high: least('high'), confidence };
}

/** Units in which more of a resource is counted. */
const UNIT = { cores: 1, sequential: 1, calls: 1, storage: 1e6, network: 1e6, consumer: 1e-3 } as const;

function shadowPrices(constraints: readonly Constraint[]): ShadowPrice[] {
  const [binding, next] = constraints;
  return constraints.flatMap(({ kind, rate, supply }, at): ShadowPrice[] => {
    // No price: a sequential operator cannot be divided, and the effect of more calls was not observed.
    if (kind === 'sequential' || kind === 'calls') return [];
    // Only the binding constraint has a price: more of what is not short brings nothing.
    if (at > 0 || binding === undefined) return [{ kind, worth: 0, until: 0 }];
    const unit = UNIT[kind];
    const x = rate.estimate;
    const roof = next?.rate.estimate ?? Number.POSITIVE_INFINITY;
    if (kind === 'consumer') {
      const less = supply - Math.min(unit, supply / 2);
      return [{ kind, worth: x * (supply / less - 1), until: (supply * (1 - x / roof)) / unit }];
    }
    return [{ kind, worth: (x / supply) * unit, until: ((roof / x - 1) * supply) / unit }];
  });
}

/** A program that reads less than this per second does not depend on storage. */
const LEAST_BYTES_PER_SECOND = 50e3;

function assumptionsOf({ rates, disk }: Analysis, whatIf: WhatIf, caches: boolean): Assumption[] {
  const { asked, fetched } = rates.storage;
  const assumptions: Assumption[] = ['lanes-scale'];
  if (asked > LEAST_BYTES_PER_SECOND && whatIf.disk === undefined && disk === undefined) {
    assumptions.push(fetched < 0.5 * asked ? 'page-cache' : 'storage-keeps-up');
  }
  if (rates.outsideDemand > 0.1 * rates.totalDemand.estimate) assumptions.push('outside-scales');
  if (caches) assumptions.push('same-elements');
  if (rates.operators.some(({ calls }) => calls !== undefined)) assumptions.push('service-answers');
  if (whatIf.step === undefined && rates.consumer !== undefined) assumptions.push('same-consumer');
  if (rates.completions < 30 || rates.steady.to - rates.steady.from < 2e9) assumptions.push('short-recording');
  return assumptions;
}
