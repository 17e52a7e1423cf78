import { type Share, share } from '../model/units.ts';
import { percent, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { changeOf, type WaitFigures, waitFigures } from './loader.ts';
import { possible, stake } from './phrases.ts';

/** Later batches are ready, the one that is next is not. */
export const orderBound: Definition<WaitFigures & { readonly outOfOrder: Share }> = {
  inLoader(judged) {
    const { verdict, outOfOrder, batches } = judged.loader;
    if (verdict.bound !== 'order') return undefined;
    return {
      ...changeOf(judged),
      limits: true,
      figures: { ...waitFigures(judged), outOfOrder: share(outOfOrder / Math.max(1, batches)) },
    };
  },

  words: ({ figures: { rate: now, waiting, atStake, outOfOrder }, gain }, { name }) => ({
    text: `${name} is held up by order: its consumer waits ${percent(waiting)} of the time, mostly while later batches are ready${stake(atStake)}; ${percent(outOfOrder)} of them come before one ordered earlier; ${rate(now)}${possible(gain)}`,
    advice: 'in_order=False (torch 2.6 or newer) where the order of batches does not matter',
  }),
};
