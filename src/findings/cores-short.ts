import { type Cores, cores, type Share, share } from '../model/units.ts';
import { coreCount, decimal, percent } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { HARDLY_QUEUED, queuedShare } from './loader.ts';

export interface Figures {
  /** Part of the time they want one. */
  readonly queued: Share;
  /** Cores that other programs used; undefined where nobody counted. */
  readonly others: Cores | undefined;
  readonly coresUsable: Cores;
}

/** Parts of the time they want a core above which it is worth a word. */
const QUEUED = 0.2;

/** Preparing threads queue for a core. */
export const coresShort: Definition<Figures> = {
  inLoader({ loader, profile }) {
    const queued = queuedShare(loader);
    // Who sleeps and wants a core for a moment may queue for most of that moment; it matters as far as batches take longer.
    if (!(queued > QUEUED && loader.runDelay.mean > HARDLY_QUEUED * loader.preparation.mean)) return undefined;
    return {
      limits: false,
      cause: { type: 'hardware', resource: 'cpu', full: share(1) },
      figures: {
        queued: share(queued),
        others: profile?.othersUsed === undefined ? undefined : cores(profile.othersUsed),
        coresUsable: cores(loader.evidence.coresUsable),
      },
    };
  },

  words: ({ figures: { queued, others, coresUsable } }, { name }) => ({
    text: `Preparation of ${name} queues ${percent(queued)} of the time it wants a core${others !== undefined && others > 0.2 ? `; other programs use ${decimal(others)} of ${coreCount(coresUsable)}` : ''}`,
    advice: 'More cores, or fewer other programs',
  }),
};
