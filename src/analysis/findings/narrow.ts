import { CONSUMER } from '../../model/consumer.ts';
import type { FindingKind, FindingOf, Gain } from '../../model/finding.ts';
import { elementsPerSecond } from '../../model/units.ts';
import type { Analysis } from '../analysis.ts';
import { type Ceiling, ceilings, rangeUnder } from '../rates/ceilings.ts';
import type { OperatorRates, StageRates } from '../rates/rates.ts';
import type { NarrowPlace } from '../states/detect.ts';

/** What a finding looks at, and what it answers: nothing where it does not apply. */
export type Detector<K extends FindingKind = FindingKind> = (analysis: Analysis) => FindingOf<K> | undefined;

/** Above this part of what there is, a resource is full. */
const FULL = 0.9;
/** A place that never passed the threshold is still named above this. */
const NEARLY = 0.7;

/** Where the flow is held back: what held for most of the time, else what came near. */
export function narrowPlace({ states }: Analysis): NarrowPlace | undefined {
  if (states.place !== undefined && states.held >= 0.5) return states.place;
  return states.nearest !== undefined && states.nearest.share >= NEARLY ? states.nearest : states.place;
}

/** The narrow stage, where it is one and not the consumer or a channel. */
export function narrowStage(
  analysis: Analysis,
): { place: NarrowPlace & { type: 'vertex' }; stage: StageRates } | undefined {
  const place = narrowPlace(analysis);
  if (place?.type !== 'vertex' || place.vertex.id === CONSUMER) return undefined;
  const stage = analysis.rates.stages.find(({ id }) => id === place.vertex.id);
  if (stage === undefined) return undefined;
  return { place: place.limit === 'cpu' && isWaiting(analysis, stage) ? { ...place, limit: 'blocked' } : place, stage };
}

/** Of the calls that may be under way, those that are: then no other can be started. */
const FULL_OF_CALLS = 0.7;

/**
 * Its lanes sleep more than they work, with all calls under way that an async function of theirs may have. That they also queue for
 * a core whenever they wake, on a machine that others use, makes it no matter of CPU.
 */
function isWaiting({ rates, graph }: Analysis, { id, lanes, states }: StageRates): boolean {
  if (states.blocked < states.running) return false;
  return rates.operators.some(({ id: operator, stage, calls }) => {
    const concurrency = graph.operators.find(each => each.id === operator)?.concurrency ?? 1;
    return stage === id && calls !== undefined && calls.underWay >= FULL_OF_CALLS * concurrency * lanes;
  });
}

/** The process has most of the cores, and what it has not is in others' hands. */
const MOST = 0.6;
const NOTHING_LEFT = 0.97;

/** All cores it may use are in use, most of them by this process. Beside a limit of its own, others' use does not count. */
export function cpuIsFull({ rates, host }: Analysis): boolean {
  const { utilisation, busy, others = 0 } = rates.cpu;
  if (utilisation >= FULL) return true;
  return host.coresLimit === 'none' && utilisation >= MOST && busy + others >= NOTHING_LEFT * host.coresPresent;
}

/** The operator with most CPU among those given. */
export function heaviestOf(analysis: Analysis, ids: readonly string[]): OperatorRates | undefined {
  return analysis.rates.operators
    .filter(({ id }) => ids.includes(id))
    .reduce<OperatorRates | undefined>(
      (most, each) => (most === undefined || each.cpuDemand.estimate > most.cpuDemand.estimate ? each : most),
      undefined,
    );
}

/**
 * What the rate would rise to once the ceilings that `lifted` names are gone, and to `atMost`; `low` is what that may be too much by.
 * Nothing below a fiftieth is promised, nor what the present rate is not known to differ from.
 */
export function gainOf(
  { rates }: Analysis,
  lifted: (ceiling: Ceiling) => boolean,
  atMost = Number.POSITIVE_INFINITY,
  low = atMost,
): Gain | undefined {
  const now = rates.rate;
  const under = rangeUnder(ceilings(rates), lifted);
  const rate = Math.min(under.rate, atMost);
  if (!(now.estimate > 0) || !Number.isFinite(rate) || rate < now.estimate * 1.02 || rate <= now.high) return undefined;
  return {
    rate: elementsPerSecond(rate),
    factor: rate / now.estimate,
    low: elementsPerSecond(Math.min(under.low, low)),
    high: elementsPerSecond(Math.min(under.high, atMost)),
  };
}

/** Lanes a stage needs for a rate: its time per element, busy or asleep, times the rate. */
export const lanesFor = ({ cpuDemand, blockedDemand }: StageRates, rate: number): number =>
  Math.max(1, Math.ceil((cpuDemand.estimate + blockedDemand) * rate - 0.05));

/** More lanes than this are not advised unseen. */
export const MOST_LANES = 32;

/** The rate a stage could keep up with so many lanes, if each does what it does now. */
export const laneRate = ({ ceiling, lanes }: StageRates, wanted: number): number =>
  (ceiling * wanted) / Math.max(1, lanes);
