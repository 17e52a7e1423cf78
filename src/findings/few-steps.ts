import { plural } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { stepAdvice } from './step-advice.ts';

/** Fewer steps do not show what is usual. */
const ENOUGH_STEPS = 3;

/** Too few steps to tell what is usual. */
export const fewSteps: Definition<{ readonly steps: number; readonly source: string }> = {
  inSteps: ({ time: { count }, source }) =>
    count >= ENOUGH_STEPS ? undefined : { limits: false, figures: { steps: count, source } },

  words: ({ figures: { steps, source } }) => ({
    text: `The trace has ${plural(steps, 'step')}: too few to tell what is usual`,
    advice: stepAdvice('more', source),
  }),
};
