import { stepsSummary } from '../../../analysis/steps/summary.ts';
import type { StepsInfo } from '../../../report/results/steps.ts';
import type { OpenedSteps } from './read.ts';
import { unmarkedWarnings } from './unmarked.ts';

/** Everything that is known of a trace. */
export const stepsInfo = ({ heading, files, trace }: OpenedSteps): StepsInfo => ({
  ...heading,
  files,
  summary: stepsSummary(trace),
  problems: unmarkedWarnings(heading.name, trace),
});
