import { type Ns, ns, type Share, share } from '../model/units.ts';
import { percent, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { stepAdvice } from './step-advice.ts';
import { gainWithout, largestPart, type StepFigures, stepFigures } from './steps.ts';

export interface Figures extends StepFigures {
  /** Of the critical path: in Python, in operators, in calls of the runtime. */
  readonly between: Ns;
  readonly operators: Ns;
  readonly calls: Ns;
  /** Kernels that take less time than their launch. */
  readonly shorter: Share | undefined;
  readonly device: boolean;
}

/** The device is idle because the host does not launch work in time. */
export const launchBound: Definition<Figures> = {
  inSteps(summary) {
    if (largestPart(summary) !== 'host') return undefined;
    const { path, launches } = summary;
    return {
      limits: true,
      figures: {
        ...stepFigures(summary, 'host'),
        between: ns(path.parts.between),
        operators: ns(path.parts.operator),
        calls: ns(path.parts.call),
        shorter: launches === undefined ? undefined : share(launches.shorterThanCall),
        device: summary.hasDevice,
      },
      gain: gainWithout(summary, 'host'),
    };
  },

  words({ figures: { step, share: part, between, operators, calls, shorter, device, source } }) {
    const short = shorter === undefined ? '' : `; ${percent(shorter)} of kernels take less time than their launch`;
    const spent = `Python ${time(between)}, operators ${time(operators)}, calls of the runtime ${time(calls)} on the critical path`;
    return {
      text: device
        ? `Steps are limited by the host: of ${time(step)}, the device is idle for ${percent(part)} because nothing was launched (${spent})${short}`
        : `Steps are limited by Python: of ${time(step)}, ${percent(part)} is in no operator`,
      advice: stepAdvice(device ? 'launch' : 'python', source),
    };
  },
};
