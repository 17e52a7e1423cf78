import { NS_PER_SECOND } from '../../model/units.ts';
import type { RunRates } from './rates.ts';

/** Something that keeps the rate from rising further; root elements per second. */
export interface Ceiling {
  readonly kind: 'stage' | 'sequential' | 'cores' | 'consumer';
  /** The stage or operator. */
  readonly id: string | undefined;
  readonly rate: number;
}

/** What holds with the lanes there are, and what holds however many there were. */
export function ceilings(rates: RunRates): Ceiling[] {
  const { stages, operators, consumer, cpu, totalDemand } = rates;
  const most = (seconds: number): number => (seconds > 0 ? 1 / seconds : Number.POSITIVE_INFINITY);
  return [
    { kind: 'cores', id: undefined, rate: most(totalDemand.estimate / cpu.left) },
    ...stages.map(stage => ({ kind: 'stage' as const, id: stage.id, rate: stage.ceiling })),
    ...operators
      .filter(({ sequential }) => sequential)
      .map(({ id, cpuDemand }) => ({ kind: 'sequential' as const, id, rate: most(cpuDemand.estimate) })),
    ...(consumer === undefined
      ? []
      : [{ kind: 'consumer' as const, id: undefined, rate: most(consumer.step / NS_PER_SECOND) }]),
  ];
}

/** The rate that the ceilings allow once those that `lifted` names are gone. */
export const rateUnder = (list: readonly Ceiling[], lifted: (ceiling: Ceiling) => boolean): number =>
  list.filter(ceiling => !lifted(ceiling)).reduce((least, { rate }) => Math.min(least, rate), Number.POSITIVE_INFINITY);
