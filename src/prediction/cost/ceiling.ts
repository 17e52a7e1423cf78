import { whyNotDivided } from '../../graph/soundness.ts';
import { isNarrow } from '../../math/narrow-interval.ts';
import type { Interval } from '../../math/statistics.ts';
import { sumOf } from '../../math/totals.ts';
import { type Amount, exactly } from './amount.ts';
import { costTopology, cpuShare } from './arrangement.ts';
import type { CostModel, CostOperator } from './model.ts';

/** An upper limit of the throughput in any arrangement, in counted elements per second. */
export interface Constraint {
  readonly kind: 'cores' | 'sequential' | 'storage' | 'network' | 'consumer' | 'calls';
  /** The operator, for a sequential one and for calls of an async function. */
  readonly operator: string | undefined;
  readonly rate: Interval;
  /** Amount of the resource: cores, bytes per second, seconds of the consumer per element of its own, concurrent calls. */
  readonly supply: number;
}

/** Which arrangements a ceiling is for: all of them, unless a cache makes operators idle, or calls at once may be more than recorded. */
export interface CeilingOptions {
  readonly isNeeded?: (id: string) => boolean;
  readonly moreCalls?: boolean;
}

/**
 * Plumber's linear program, max X with θ_i R_i ≥ X, Σ θ_i ≤ cores, θ_i ≤ 1 for sequential i, has a closed form where one
 * consumer is counted: X = min(cores / Σ D_i, min over sequential 1 / D_i, bandwidth / bytes, 1 / step). Each part is a
 * constraint, the tightest first. Demands are those recorded, and nothing else is in it: no cost of channels, threads or caches.
 */
export function ceilingConstraints(model: CostModel, options: CeilingOptions = {}): Constraint[] {
  const { isNeeded = () => true, moreCalls = false } = options;
  const needed = model.operators.filter(({ id }) => isNeeded(id));
  const constraints: Constraint[] = [];
  const add = (kind: Constraint['kind'], supply: number, demand: Amount, operator?: string, per = supply): void => {
    if (demand.estimate > 0) constraints.push({ kind, operator, supply, rate: inverse(model, demand, per) });
  };
  add('cores', model.cores, totalCpu(model, needed, isNeeded));
  for (const operator of needed) {
    // Lanes can make batches of their own, and repeat them: no lane need see all elements for that.
    const isInOrder = operator.sequential && operator.gathers === undefined && operator.repeats === undefined;
    const { waitsInOrder, cpu, blocked } = operator;
    if (isInOrder && !waitsInOrder && !canBeDivided(model, operator)) add('sequential', 1, cpu, operator.id);
    if (waitsInOrder) add('sequential', 1, exactly(cpu.estimate + blocked), operator.id);
    const { calling, concurrency } = operator;
    if (concurrency === undefined || moreCalls) continue;
    const lanes = model.stages.find(({ operators }) => operators.includes(operator.id))?.lanes ?? 1;
    add('calls', lanes * concurrency, exactly(calling), operator.id);
  }
  const { storage, network, consumer } = model;
  const asked = sumOf(needed, operator => operator.asked);
  if (storage !== undefined) add('storage', storage, exactly(asked));
  if (network !== undefined) add('network', network.bytesPerSecond, exactly(network.received));
  if (consumer !== undefined) add('consumer', consumer.step.estimate / consumer.visits, consumer.step, undefined, 1);
  return constraints.sort((a, b) => a.rate.estimate - b.rate.estimate);
}

/** A source whose parts several lanes could read, without that being seen. */
function canBeDivided({ operators }: CostModel, operator: CostOperator): boolean {
  return operator.divisible === true && whyNotDivided(costTopology(operators), operator) === undefined;
}

/**
 * CPU of the needed operators and, in proportion, of threads that no lane accounts for. Part of the latter may be for no element, and
 * behind a cache operators that only move references take next to nothing: the low end leaves both out.
 */
function totalCpu(model: CostModel, needed: readonly CostOperator[], isNeeded: (id: string) => boolean): Amount {
  const sum = (of: (operator: CostOperator) => number): number => sumOf(needed, of);
  const isWhole = needed.length === model.operators.length;
  const outside = model.unaccounted * cpuShare(model.operators, isNeeded);
  const estimate = sum(({ cpu }) => cpu.estimate) + outside;
  const moving = isWhole ? 0 : sum(({ work, cpu }) => (work === 'own' ? 0 : cpu.estimate));
  // Errors of dividing a stage's CPU among its operators cancel where all of them are needed.
  const divided = isWhole ? 0 : Math.hypot(...needed.map(({ cpu }) => Math.min(cpu.high - cpu.estimate, cpu.estimate)));
  const half = Math.hypot(model.noise * estimate, divided);
  return { estimate, low: Math.max(0, estimate - half - outside - moving), high: estimate + half };
}

const inverse = (
  { measured: { confidence } }: CostModel,
  { estimate, low, high }: Amount,
  supply: number,
): Interval => ({
  estimate: supply / estimate,
  low: supply / high,
  high: low > 0 ? supply / low : Number.POSITIVE_INFINITY,
  confidence,
});

/** The ceiling: the least of the constraints. Without an estimate where the recording is too uneven for an interval that says anything. */
export const ceilingRate = ({ noise }: CostModel, constraints: readonly Constraint[]): Interval =>
  isNarrow({ low: 1 - noise, high: 1 + noise })
    ? tightest(constraints)
    : { ...tightest(constraints), estimate: Number.NaN };

/** Each end is the least of theirs. */
export function tightest(constraints: readonly Constraint[]): Interval {
  const least = (end: 'estimate' | 'low' | 'high'): number =>
    constraints.reduce((sofar, { rate }) => Math.min(sofar, rate[end]), Number.POSITIVE_INFINITY);
  const confidence = constraints.reduce((sofar, { rate }) => Math.min(sofar, rate.confidence), 1);
  return { estimate: least('estimate'), low: least('low'), high: least('high'), confidence };
}
