import { type Ns, ns } from '../model/units.ts';
import { percent, plural, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { stepAdvice } from './step-advice.ts';
import { gainWithout, largestPart, type StepFigures, stepFigures } from './steps.ts';

export interface Figures extends StepFigures {
  readonly communicating: Ns;
  readonly ranks: number;
  /** The collective with the most time. */
  readonly collective: string | undefined;
  /** What waiting for the last rank takes of it, where traces of several ranks say. */
  readonly waited: Ns | undefined;
}

/** Communication that no computation hides. */
export const communicationBound: Definition<Figures> = {
  inSteps(summary) {
    if (largestPart(summary) !== 'communication') return undefined;
    const waits = summary.ranks.map(({ waited }) => waited);
    return {
      limits: true,
      figures: {
        ...stepFigures(summary, 'communication'),
        communicating: ns(summary.mean.communicating),
        ranks: summary.worldSize,
        collective: summary.collectives[0]?.name,
        waited: waits.length < 2 ? undefined : ns(Math.max(...waits)),
      },
      gain: gainWithout(summary, 'communication'),
    };
  },

  words({ figures: { step, share, communicating, ranks, collective, waited, source } }) {
    const most = collective === undefined ? '' : `, most of it ${collective}`;
    const late = waited === undefined ? '' : `; a rank waits up to ${time(waited)} a step for the last one`;
    return {
      text: `Steps are limited by communication of ${plural(ranks, 'rank')}: of ${time(step)}, ${percent(share)} is communication that no computation hides (${time(communicating)} in all${most})${late}`,
      advice: stepAdvice('communication', source),
    };
  },
};
