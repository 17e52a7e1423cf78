import { plural } from '../report/format.ts';
import type { Definition } from './definition.ts';

/** Fewer steps do not show what is usual. */
const ENOUGH_STEPS = 3;

/** Too few steps to tell what is usual. */
export const fewSteps: Definition<{ readonly steps: number }> = {
  inSteps: ({ time: { count } }) => (count >= ENOUGH_STEPS ? undefined : { limits: false, figures: { steps: count } }),

  words: ({ figures: { steps } }) => ({
    text: `The trace has ${plural(steps, 'step')}: too few to tell what is usual`,
    advice: 'Profile more of them: torch.profiler.schedule(wait=2, warmup=2, active=6), and prof.step() after each',
  }),
};
