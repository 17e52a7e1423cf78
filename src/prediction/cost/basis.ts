import type { Analysis } from '../../analysis/analysis.ts';
import { LEAST_BYTES_PER_SECOND } from '../../analysis/bottleneck/storage-wait.ts';
import { sumOf } from '../../math/totals.ts';
import { type CachePlace, cachePlaces } from './cache-places.ts';
import type { RecordedCosts } from './recorded-costs.ts';
import { recordedCosts } from './recording.ts';
import type { Assumption } from './resources.ts';

/** What every forecast of a recording is made from. Plain data: a page forecasts other resources from it, as `venturi predict` does. */
export interface CostBasis extends RecordedCosts {
  readonly memoryUsable: number;
  /** Whatever memory there is: those that fit into it are taken. */
  readonly caches: readonly PlainCachePlace[];
  /** What forecasts on the recorded resources take for granted. */
  readonly assumptions: readonly Assumption[];
}

interface PlainCachePlace extends Omit<CachePlace, 'spares'> {
  readonly spares: readonly string[];
}

export const costBasisOf = (analysis: Analysis): CostBasis => ({
  ...recordedCosts(analysis),
  memoryUsable: analysis.host.memoryUsable,
  caches: cachePlaces(analysis, Number.POSITIVE_INFINITY).map(place => ({ ...place, spares: [...place.spares] })),
  assumptions: assumptionsOf(analysis),
});

function assumptionsOf({ rates, disk, host }: Analysis): Assumption[] {
  const { asked, fetched } = rates.storage;
  const assumptions: Assumption[] = host.pipelineCosts === undefined ? ['lanes-scale'] : [];
  if (asked > LEAST_BYTES_PER_SECOND && disk === undefined) {
    assumptions.push(fetched < asked / 2 ? 'page-cache' : 'storage-keeps-up');
  }
  const overhead = sumOf(rates.stages, ({ overheadDemand }) => overheadDemand);
  if (2 * overhead > sumOf(rates.stages, ({ cpuDemand }) => cpuDemand.estimate)) assumptions.push('tiny-elements');
  if (rates.outsideDemand > 0) assumptions.push('outside-scales');
  assumptions.push('same-elements');
  if (rates.operators.some(({ calls }) => calls !== undefined)) assumptions.push('service-answers');
  if (rates.consumer !== undefined) assumptions.push('same-consumer');
  return assumptions;
}
