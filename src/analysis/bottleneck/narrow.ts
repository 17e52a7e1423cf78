import { CONSUMER } from '../../model/consumer.ts';
import type { Analysis } from '../analysis.ts';
import type { StageRates } from '../rates/rates.ts';
import type { NarrowPlace } from '../states/detect.ts';

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
    if (stage !== id || calls === undefined) return false;
    const concurrency = graph.operators.find(each => each.id === operator)?.concurrency ?? 1;
    return calls.underWay >= FULL_OF_CALLS * concurrency * lanes;
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
