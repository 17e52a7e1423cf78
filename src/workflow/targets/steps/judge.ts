import { stepsSummary } from '../../../analysis/steps/summary.ts';
import { stepsFindings } from '../../../findings/judge.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import type { StepsDiagnosis } from '../../../report/results/steps.ts';
import type { OpenedSteps } from './read.ts';
import { unmarkedWarnings } from './unmarked.ts';

/** What limits training steps. */
export function judgeSteps({ heading, trace }: OpenedSteps): StepsDiagnosis {
  const summary = stepsSummary(trace);
  return {
    ...heading,
    seconds: (summary.time.mean * summary.time.count) / NS_PER_SECOND,
    command: [],
    ...stepsFindings(summary),
    summary,
    problems: unmarkedWarnings(heading.name, trace),
  };
}
