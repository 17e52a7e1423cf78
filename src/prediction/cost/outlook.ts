import type { Analysis } from '../../analysis/analysis.ts';
import type { Interval } from '../../math/statistics.ts';
import { WORTHWHILE } from '../thresholds.ts';
import { type Arrangement, recordedArrangement } from './arrangement.ts';
import { type CostBasis, costBasisOf } from './basis.ts';
import { type Constraint, ceilingConstraints, ceilingRate, tightest } from './ceiling.ts';
import { evaluate } from './evaluate.ts';
import { type Forecast, forecast } from './forecast.ts';
import { lanesFor, type StageLanes, withLanes } from './lanes.ts';
import type { CostModel } from './model.ts';
import { type ShadowPrice, shadowPrices } from './prices.ts';
import { onResources } from './recorded-costs.ts';
import type { Assumption, WhatIf } from './resources.ts';

/** Ceiling with an operator's output cached in memory, from the second pass on. */
export interface CacheCeiling {
  readonly operator: string;
  readonly bytes: Interval;
  /** Everything upstream is known to give the same elements in every pass. */
  readonly certain: boolean;
  readonly rate: Interval;
  readonly binding: Constraint;
}

/** The most that a pipeline's recorded demands allow on given resources, in any arrangement. */
export interface Ceiling {
  /** Without an estimate where the recording is too uneven: then there are no prices, lanes and caches either. */
  readonly rate: Interval;
  readonly binding: Constraint | undefined;
  /** All of them, the tightest first. */
  readonly constraints: readonly Constraint[];
  readonly prices: readonly ShadowPrice[];
  readonly lanes: readonly StageLanes[];
  /** Worthwhile ones, the best first. */
  readonly caches: readonly CacheCeiling[];
}

/** What a forecast is of: stages as recorded, the same with the lanes that the ceiling needs, or an arrangement that was asked for. */
export type Arranged = 'as-recorded' | 'lanes' | 'asked';

/** How fast a pipeline could be on given resources. */
export interface Outlook {
  readonly ceiling: Ceiling;
  /** Of the arrangement asked for, or of the recorded stages with the lanes that the ceiling needs where they are faster than as recorded. */
  readonly forecast: Forecast;
  readonly arranged: Arranged;
  readonly assumptions: readonly Assumption[];
}

/** `arranged`: the arrangement to forecast; the recorded stages with the lanes they need, unless given. */
export const outlook = (
  analysis: Analysis,
  whatIf: WhatIf = {},
  arranged?: (model: CostModel) => Arrangement,
): Outlook => outlookOn(costBasisOf(analysis), whatIf, arranged);

/** The same from plain data: what a page calls, which has no recording. */
export function outlookOn(
  basis: CostBasis,
  whatIf: WhatIf = {},
  arranged?: (model: CostModel) => Arrangement,
): Outlook {
  const model = onResources(basis, whatIf);
  const ceiling = ceilingOf(basis, model, whatIf);
  const chosen = arranged === undefined ? fastest(model, ceiling) : ([arranged(model), 'asked'] as const);
  const [arrangement, what] = chosen;
  return {
    ceiling,
    forecast: forecast(model, arrangement),
    arranged: what,
    assumptions: assumptionsOf(basis, whatIf, ceiling),
  };
}

function fastest(model: CostModel, { lanes }: Ceiling): readonly [Arrangement, Arranged] {
  const [recorded, divided] = [recordedArrangement(model), withLanes(model, lanes)];
  return evaluate(model, divided).rate > evaluate(model, recorded).rate
    ? [divided, 'lanes']
    : [recorded, 'as-recorded'];
}

function ceilingOf({ caches: places, memoryUsable }: CostBasis, model: CostModel, { memory }: WhatIf): Ceiling {
  const constraints = ceilingConstraints(model);
  const rate = ceilingRate(model, constraints);
  if (Number.isNaN(rate.estimate)) return { rate, binding: undefined, constraints, prices: [], lanes: [], caches: [] };
  const caches = places
    .filter(({ bytes }) => bytes.high <= (memory ?? memoryUsable))
    .flatMap(({ operator, bytes, certain, spares }): CacheCeiling[] => {
      const left = ceilingConstraints(model, { isNeeded: id => !spares.includes(id) });
      const [binding] = left;
      return binding === undefined ? [] : [{ operator, bytes, certain, rate: tightest(left), binding }];
    })
    .filter(cached => cached.rate.estimate > (1 + WORTHWHILE) * rate.estimate)
    .sort((a, b) => b.rate.estimate - a.rate.estimate || a.bytes.estimate - b.bytes.estimate);
  return {
    rate,
    binding: constraints[0],
    constraints,
    prices: shadowPrices(constraints),
    lanes: lanesFor(model, rate.estimate),
    caches,
  };
}

/** Of the recording's assumptions, those that hold of other resources too, and what these add. */
function assumptionsOf(
  { assumptions, received }: CostBasis,
  { disk, network, step }: WhatIf,
  { caches }: Ceiling,
): Assumption[] {
  const settled: Assumption[] = [
    ...(disk === undefined ? [] : (['page-cache', 'storage-keeps-up'] as const)),
    ...(caches.some(({ certain }) => !certain) ? [] : (['same-elements'] as const)),
    ...(step === undefined ? [] : (['same-consumer'] as const)),
  ];
  const ofNetwork: readonly Assumption[] = network !== undefined && received > 0 ? ['own-network'] : [];
  return [...assumptions.filter(each => !settled.includes(each)), ...ofNetwork];
}
