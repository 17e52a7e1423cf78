import { planComparisonReport } from '../report/views/plan-comparison.ts';
import { openRun } from '../store/run-reader.ts';
import type { Answer } from './answer.ts';
import { comparePlans } from './compare-plans.ts';
import { fleetAnswer, isFleet } from './fleet.ts';
import { targetOf, targetOfAll } from './targets/registry.ts';
import type { ForecastRequest, JudgeOptions, Target } from './targets/target.ts';

const targetAt = (path: string): Target => targetOf(openRun(path).manifest);

/** What limits a run, or each in a folder of them. */
export const judgeRuns = async (path: string, options: JudgeOptions = {}): Promise<Answer> =>
  isFleet(path) ? fleetAnswer(path, options) : targetAt(path).judge(path, options);

export const forecastRun = async (path: string, request: ForecastRequest = {}): Promise<Answer> =>
  targetAt(path).forecast(path, request);

/** Runs, or plans, against the first of them. */
export async function compareAll(paths: readonly string[], options: Pick<JudgeOptions, 'root'> = {}): Promise<Answer> {
  if (paths.every(path => path.endsWith('.json'))) {
    const result = comparePlans(paths);
    return { result, report: () => planComparisonReport(result) };
  }
  return targetOfAll(paths.map(path => openRun(path).manifest)).compare(paths, options);
}
