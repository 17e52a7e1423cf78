import { type Ns, ns } from '../model/units.ts';
import { time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { HARDLY_QUEUED, queuedShare } from './loader.ts';

/** Times the typical element, and how many are named. */
const SLOW = 8;
const SLOWEST_NAMED = 3;

/** Few elements take far longer than the others. */
export const slowElements: Definition<{
  readonly slowest: Ns;
  readonly typical: Ns;
  readonly names: readonly string[];
}> = {
  inLoader({ loader }) {
    // Who queues for a core looks slow without being it.
    if (queuedShare(loader) > HARDLY_QUEUED) return undefined;
    const typical = loader.operators.find(({ traits }) => traits.fetches)?.p50;
    const slow = loader.slowest.filter(({ duration }) => typical !== undefined && duration > SLOW * typical);
    const [slowest] = slow;
    if (typical === undefined || slowest === undefined) return undefined;
    const names = slow.slice(0, SLOWEST_NAMED).map(({ name }) => name);
    return { limits: false, figures: { slowest: ns(slowest.duration), typical, names } };
  },

  words: ({ figures: { slowest, typical, names } }, { name }) => ({
    text: `Few elements of ${name} take far longer than the others: up to ${time(slowest)} instead of ${time(typical)}: ${names.join(', ')}`,
    advice: 'Look at these: larger than the others, or stored elsewhere; a larger prefetch_factor evens them out',
  }),
};
