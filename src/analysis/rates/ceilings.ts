import type { Interval } from '../../math/statistics.ts';
import type { RunRates, StageRates } from './rates.ts';

/** A rate in elements per second, and the ends of its interval. */
export interface RateRange {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** An upper bound of the throughput, in counted elements per second. */
export interface Ceiling extends RateRange {
  readonly kind: 'stage' | 'sequential' | 'cores' | 'consumer';
  /** The stage or operator. */
  readonly id: string | undefined;
}

/** Upper bounds with the recorded lanes (stages), and with any number of them (cores, sequential operators, consumer). */
export function ceilings(rates: RunRates): Ceiling[] {
  const { stages, operators, consumer, cpu, totalDemand } = rates;
  return [
    { kind: 'cores', id: undefined, ...supplied(cpu.left, totalDemand) },
    ...stages.map(stage => ({ kind: 'stage' as const, id: stage.id, ...stageRange(stage) })),
    ...operators
      .filter(({ sequential }) => sequential)
      .map(({ id, cpuDemand }) => ({ kind: 'sequential' as const, id, ...supplied(1, cpuDemand) })),
    ...(consumer === undefined
      ? []
      : [{ kind: 'consumer' as const, id: undefined, ...supplied(1, consumer.stepDemand) }]),
  ];
}

const by = (supply: number, seconds: number): number => (seconds > 0 ? supply / seconds : Number.POSITIVE_INFINITY);

const supplied = (supply: number, { estimate, low, high }: Interval): RateRange => ({
  rate: by(supply, estimate),
  low: by(supply, high),
  high: by(supply, low),
});

/** The interval comes from the CPU demand alone: blocked time is measured, not estimated. */
function stageRange({ ceiling, cpuDemand, blockedDemand }: StageRates): RateRange {
  const work = cpuDemand.estimate + blockedDemand;
  const scaled = (cpu: number): number => by(ceiling * work, cpu + blockedDemand);
  if (!(work > 0)) return { rate: ceiling, low: ceiling, high: ceiling };
  return { rate: ceiling, low: scaled(cpuDemand.high), high: scaled(cpuDemand.low) };
}

/** The throughput under all ceilings but the `lifted` ones. */
export const rateUnder = (list: readonly Ceiling[], lifted: (ceiling: Ceiling) => boolean): number =>
  rangeUnder(list, lifted).rate;

/** The same with its interval: each end is the least of the ceilings'. */
export function rangeUnder(list: readonly Ceiling[], lifted: (ceiling: Ceiling) => boolean): RateRange {
  const left = list.filter(ceiling => !lifted(ceiling));
  const least = (end: keyof RateRange): number =>
    left.reduce((rate, each) => Math.min(rate, each[end]), Number.POSITIVE_INFINITY);
  return { rate: least('rate'), low: least('low'), high: least('high') };
}
