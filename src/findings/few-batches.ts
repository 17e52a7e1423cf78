import { batchCount } from '../report/format.ts';
import type { Definition, Found, JudgedLoader } from './definition.ts';
import { doubtsOf } from './loader.ts';

export interface Figures {
  readonly batches: number;
}

/** What to ask for instead. */
const ENOUGH_BATCHES = 200;

export const fewBatches: Definition<Figures> = {
  alone: true,

  words: ({ figures: { batches } }, { name }) => ({
    text: `${name} gave ${batchCount(batches)}: too few to say what limits it`,
  }),
};

/** What to say of a loader where no other verdict applies. */
export const tooFew = (judged: JudgedLoader): Found<Figures> => ({
  limits: true,
  cause: { type: 'none' },
  figures: { batches: judged.loader.batches },
  fix: { type: 'record', batches: ENOUGH_BATCHES },
  doubts: doubtsOf(judged),
});
