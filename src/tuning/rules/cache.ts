import { whyNotKept } from '../../graph/soundness.ts';
import type { Action } from '../../model/plan.ts';
import { MEBIBYTE } from '../../model/units.ts';
import { costTopology } from '../../prediction/cost/arrangement.ts';
import type { CachePlace } from '../../prediction/cost/cache-places.ts';
import { WORTHWHILE } from '../../prediction/thresholds.ts';
import type { Draft } from '../draft.ts';
import { isBetter } from '../worth.ts';
import { parallelism } from './parallelism.ts';
import type { Circumstances, Rule } from './rule.ts';

/** Limit of a cache / estimated bytes in it: encoded elements may be larger than estimated, and a run whose cache exceeds its limit fails. A judgement. */
const ROOM = 1.25;

/**
 * What does not change from pass to pass is kept where that spares most: in memory if it fits, else on disk where that is
 * fast enough. Each place is judged with the threads it would leave to the rest.
 */
export const cache: Rule = (draft, circumstances) => {
  if (draft.base.operators.some(operator => operator.cache !== undefined)) return draft;
  const candidates = circumstances.cachePlaces.flatMap(place => {
    const action = cacheAt(place, draft, circumstances);
    if (action === undefined) return [];
    return [{ limit: action.limit, cached: withCache(draft, action, circumstances) }];
  });
  const [must] = circumstances.mustCache ? candidates : [];
  if (must !== undefined) return must.cached;
  const best = candidates.reduce(
    (sofar, each) => {
      const margin = each.limit > sofar.limit ? WORTHWHILE : undefined;
      return isBetter(each.cached, sofar.cached, circumstances, margin) ? each : sofar;
    },
    { limit: 0, cached: draft },
  );
  return best.cached;
};

type CacheAction = Action & { readonly kind: 'cache' };

/** Upstream of a cache threads and buffers are those of the first pass; downstream they are planned anew. */
function withCache(draft: Draft, action: CacheAction, circumstances: Circumstances): Draft {
  return parallelism(draft.with(action, 'same-every-pass'), circumstances);
}

function cacheAt(place: CachePlace, draft: Draft, circumstances: Circumstances): CacheAction | undefined {
  const { memory, disk } = circumstances;
  const { operator, bytes } = place;
  const topology = costTopology(draft.base.operators);
  const at = topology.at(operator);
  if (at === undefined || whyNotKept(topology, at) !== undefined) return undefined;
  const limit = Math.ceil(Math.max(bytes.high, bytes.estimate) * ROOM) + MEBIBYTE;
  if (limit <= memory) return { kind: 'cache', operator, limit };
  if (disk === undefined) return undefined;
  const { bytesPerSecond } = disk;
  const source = draft.arrangement.operators.find(({ id }) => id === operator);
  // It is read once more in every pass: at the rate it would allow, storage must keep up.
  if (bytesPerSecond !== undefined && source !== undefined) {
    const needed = source.bytes * withCache(draft, { kind: 'cache', operator, limit }, circumstances).evaluation.rate;
    if (needed > bytesPerSecond) return undefined;
  }
  return { kind: 'cache', operator, limit, folder: disk.folder };
}
