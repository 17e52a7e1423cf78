import { highest } from '../math/totals.ts';
import { type Ns, ns, type Share } from '../model/units.ts';
import { percent, time } from '../report/format.ts';
import type { Definition } from './definition.ts';

/** Part of common collectives that one rank is last to come to, from which on it is called a straggler. A judgement. */
const MOSTLY = 0.8;
/** Part of a step that others wait for it, below which it does not matter. */
const LITTLE = 0.03;

/** One rank comes last to most collectives, and the others wait for it. */
export const stragglingRank: Definition<{
  readonly rank: number;
  readonly last: Share;
  readonly waited: Ns;
  readonly ofStep: number;
}> = {
  inSteps({ ranks, time: { mean } }) {
    const straggler = highest(ranks, ({ last }) => last);
    const waited = Math.max(0, ...ranks.filter(row => row !== straggler).map(row => row.waited));
    if (ranks.length < 2 || straggler === undefined || straggler.last < MOSTLY || waited < LITTLE * mean) {
      return undefined;
    }
    const figures = { rank: straggler.rank, last: straggler.last, waited: ns(waited), ofStep: waited / mean };
    return { limits: false, figures };
  },

  words: ({ figures: { rank, last, waited, ofStep } }) => ({
    text: `Rank ${rank} comes last to ${percent(last)} of collectives: another rank waits ${time(waited)} a step for it, ${percent(ofStep)} of the step`,
    advice: `Look at what rank ${rank} does before: its input, the size of its batches, the clock of its device`,
  }),
};
