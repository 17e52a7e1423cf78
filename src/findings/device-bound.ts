import type { StepsSummary } from '../analysis/steps/summary.ts';
import { type Share, share } from '../model/units.ts';
import { percent, time } from '../report/format.ts';
import { kernelName } from '../report/kernel-name.ts';
import type { Definition } from './definition.ts';
import type { Cause } from './finding.ts';
import { stepAdvice } from './step-advice.ts';
import { largestPart, type StepFigures, stepFigures } from './steps.ts';

/** Part of a step that a device computes, from which on it is saturated. A judgement. */
const FULL = 0.9;

function causeOf({ hasDevice, shares: { compute } }: StepsSummary): Cause {
  if (!hasDevice) return { type: 'none' };
  return compute < FULL ? { type: 'software' } : { type: 'hardware', resource: 'accelerator', full: compute };
}

/** The device computes most of the time: neither input nor host holds it up. */
export const deviceBound: Definition<
  StepFigures & { readonly kernel: string | undefined; readonly kernelShare: Share; readonly device: boolean }
> = {
  inSteps(summary) {
    if (largestPart(summary) !== 'compute') return undefined;
    const kernel = summary.kernels.find(({ work }) => work === 'compute');
    return {
      limits: true,
      cause: causeOf(summary),
      figures: {
        ...stepFigures(summary, 'compute'),
        kernel: kernel?.name,
        kernelShare: kernel?.share ?? share(0),
        device: summary.hasDevice,
      },
    };
  },

  words({ figures: { step, share: part, kernel, kernelShare, device, source } }) {
    const most = kernel === undefined ? '' : `; ${kernelName(kernel)} has ${percent(kernelShare)} of it`;
    return {
      text: `Steps are limited by computation: the ${device ? 'device computes' : 'host is in operators'} for ${percent(part)} of ${time(step)}`,
      advice: `${stepAdvice('compute', source)}${most}`,
    };
  },
};
