import { type Ns, ns, type Share, share } from '../model/units.ts';
import { percent, rate, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { changeOf, type WaitFigures, waitFigures } from './loader.ts';
import { possible, stake } from './phrases.ts';

/** Batches are ready, but sending, receiving or pinning them takes too long. */
export const transferBound: Definition<WaitFigures & { readonly pinning: Share; readonly perBatch: Ns }> = {
  inLoader(judged) {
    const { verdict, waitSplit, evidence } = judged.loader;
    if (verdict.bound !== 'transfer') return undefined;
    const handing = waitSplit.behindOthers + waitSplit.transfer + waitSplit.pinning + waitSplit.queued;
    return {
      ...changeOf(judged),
      limits: true,
      figures: {
        ...waitFigures(judged),
        pinning: share(handing > 0 ? waitSplit.pinning / handing : 0),
        perBatch: ns(evidence.waitPrepared / Math.max(1, evidence.batches)),
      },
    };
  },

  words: ({ figures: { rate: now, waiting, atStake, pinning, perBatch, preparation }, gain }, { name }) => ({
    text: `${name} is limited by handing batches over: its consumer waits ${percent(waiting)} of the time for batches that are prepared, ${time(perBatch)} each${stake(atStake)}; ${rate(now)}${possible(gain)}`,
    advice:
      pinning > 0.5
        ? 'pin_memory=False: pinning takes longer than sending'
        : perBatch > preparation
          ? 'A larger batch_size, or num_workers=0: handing a batch over takes longer than preparing it'
          : 'Send less: smaller types, and nothing that the consumer does not use',
  }),
};
