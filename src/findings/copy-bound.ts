import { percent, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { gainWithout, largestPart, type StepFigures, stepFigures } from './steps.ts';

/** Copies between host and device that nothing hides. */
export const copyBound: Definition<StepFigures> = {
  inSteps(summary) {
    if (largestPart(summary) !== 'copy') return undefined;
    return { limits: true, figures: stepFigures(summary, 'copy'), gain: gainWithout(summary, 'copy') };
  },

  words: ({ figures: { step, share } }) => ({
    text: `Steps are limited by copies: of ${time(step)}, ${percent(share)} is memory copied while the device computes nothing`,
    advice:
      'pin_memory=True in the DataLoader and .to(device, non_blocking=True), a batch ahead of its use; keep on the device what is needed again',
  }),
};
