import { percent, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { stepAdvice } from './step-advice.ts';
import { gainWithout, largestPart, type StepFigures, stepFigures } from './steps.ts';

/** Copies between host and device that nothing hides. */
export const copyBound: Definition<StepFigures> = {
  inSteps(summary) {
    if (largestPart(summary) !== 'copy') return undefined;
    return { limits: true, figures: stepFigures(summary, 'copy'), gain: gainWithout(summary, 'copy') };
  },

  words: ({ figures: { step, share, source } }) => ({
    text: `Steps are limited by copies: of ${time(step)}, ${percent(share)} is memory copied while the device computes nothing`,
    advice: stepAdvice('copy', source),
  }),
};
