import { type Ns, ns } from '../model/units.ts';
import { percent, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { stepAdvice } from './step-advice.ts';
import { gainWithout, largestPart, type StepFigures, stepFigures } from './steps.ts';

/** The device is idle while the training thread waits for a batch. */
export const inputBound: Definition<StepFigures & { readonly loading: Ns; readonly device: boolean }> = {
  inSteps(summary) {
    if (largestPart(summary) !== 'input') return undefined;
    return {
      limits: true,
      figures: { ...stepFigures(summary, 'input'), loading: ns(summary.mean.loading), device: summary.hasDevice },
      gain: gainWithout(summary, 'input'),
    };
  },

  words: ({ figures: { step, share, loading, device, source } }) => ({
    text: `Steps are limited by the input: of ${time(step)}, ${device ? 'the device is idle' : 'nothing else runs'} for ${percent(share)} while a batch is waited for; the ${source === 'kineto' ? 'DataLoader' : 'input'} takes ${time(loading)} a step`,
    advice: stepAdvice('input', source),
  }),
};
