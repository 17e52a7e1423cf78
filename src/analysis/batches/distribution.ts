import { ratio } from '../../math/ratio.ts';
import { mean, quantile, standardDeviation } from '../../math/statistics.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';

/** Lengths of time, summed up. Without values only `count` says something. */
export interface Distribution {
  readonly count: number;
  readonly total: Ns;
  readonly mean: Ns;
  readonly deviation: Ns;
  readonly p25: Ns;
  readonly p50: Ns;
  readonly p75: Ns;
  readonly p90: Ns;
  readonly p99: Ns;
  readonly most: Ns;
  /** Shares below 10 ms and 100 µs, where sampling profilers go blind (Lotus, table II). */
  readonly below10ms: Share;
  readonly below100us: Share;
}

export function distribution(values: readonly number[]): Distribution {
  const known = values.filter(value => !Number.isNaN(value)).sort((a, b) => a - b);
  const part = (limit: number): Share => share(ratio(known.filter(value => value < limit).length, known.length));
  const average = known.length === 0 ? 0 : mean(known);
  const at = (p: number): Ns => ns(known.length === 0 ? 0 : quantile(known, p));
  return {
    count: known.length,
    total: ns(average * known.length),
    mean: ns(average),
    deviation: ns(known.length < 2 ? 0 : standardDeviation(known)),
    p25: at(0.25),
    p50: at(0.5),
    p75: at(0.75),
    p90: at(0.9),
    p99: at(0.99),
    most: at(1),
    below10ms: part(1e7),
    below100us: part(1e5),
  };
}
