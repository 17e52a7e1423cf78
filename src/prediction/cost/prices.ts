import { MEGABYTE, MS_PER_SECOND } from '../../model/units.ts';
import type { Constraint } from './ceiling.ts';

/** Shadow price of a resource (the dual of the linear program), and the number of units for which it holds. */
export interface ShadowPrice {
  readonly kind: Constraint['kind'];
  /** Elements per second for one more core, one more MB/s, or one ms less of the consumer's step. */
  readonly worth: number;
  /** Units after which something else binds. */
  readonly until: number;
}

/** Units in which more of a resource is counted: cores, bytes per second, and seconds of the consumer. */
const UNIT = { cores: 1, storage: MEGABYTE, network: MEGABYTE, consumer: 1 / MS_PER_SECOND } as const;

export function shadowPrices(constraints: readonly Constraint[]): ShadowPrice[] {
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
