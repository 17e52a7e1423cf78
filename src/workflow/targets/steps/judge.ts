import { stepsSummary } from '../../../analysis/steps/summary.ts';
import { stepsFindings } from '../../../findings/judge.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import type { StepsDiagnosis } from '../../../report/results/steps.ts';
import { openSteps } from './read.ts';

/** What limits training steps. */
export async function judgeSteps(path: string, stepMarker?: string): Promise<StepsDiagnosis> {
  const { heading, trace } = await openSteps(path, stepMarker);
  const summary = stepsSummary(trace);
  return {
    ...heading,
    seconds: (summary.time.mean * summary.time.count) / NS_PER_SECOND,
    command: [],
    ...stepsFindings(summary),
    summary,
    problems: [],
  };
}
