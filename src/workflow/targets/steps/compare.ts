import { type StepsSummary, stepsSummary } from '../../../analysis/steps/summary.ts';
import type { Warning } from '../../../model/warnings.ts';
import type { ComparedKernel, ComparedSteps, StepsComparison } from '../../../report/results/steps.ts';
import { refuseLessThanTwo } from '../../refusals.ts';
import { when } from '../machine-cautions.ts';
import { openSteps } from './read.ts';
import { unmarkedWarnings } from './unmarked.ts';

export async function compareSteps(paths: readonly string[], stepMarker: string | undefined): Promise<StepsComparison> {
  refuseLessThanTwo(paths, 'trace', 'before.json after.json');
  const opened = [];
  for (const path of paths) opened.push(await openSteps(path, stepMarker));
  const summaries = opened.map(({ trace }) => stepsSummary(trace));
  const runs = opened.flatMap(({ heading: { name, folder } }, at): ComparedSteps[] => {
    const [summary, first] = [summaries[at], summaries[0]];
    if (summary === undefined || first === undefined) return [];
    const ratio = summary.time.mean / first.time.mean;
    return [{ name, folder, summary, ratio, withinNoise: isNoise(summary, first) }];
  });
  return {
    schemaVersion: 1,
    runs,
    kernels: kernelsOf(summaries),
    cautions: [...opened.flatMap(({ heading, trace }) => unmarkedWarnings(heading.name, trace)), ...cautionsOf(runs)],
  };
}

/** Difference of two means, within twice its standard error. */
function isNoise({ time: one }: StepsSummary, { time: other }: StepsSummary): boolean {
  const error = Math.hypot(one.deviation / Math.sqrt(one.count), other.deviation / Math.sqrt(other.count));
  return Math.abs(one.mean - other.mean) <= 2 * error;
}

function kernelsOf(summaries: readonly StepsSummary[]): readonly ComparedKernel[] {
  const [first, last] = [summaries[0], summaries.at(-1)];
  if (first === undefined || last === undefined) return [];
  const perStep = ({ kernels, time }: StepsSummary, name: string): ComparedKernel['before'] => {
    const row = kernels.find(each => each.name === name);
    return { perStep: (row?.total ?? 0) / time.count, count: (row?.count ?? 0) / time.count };
  };
  const names = new Set([...first.kernels, ...last.kernels].map(({ name }) => name));
  const change = ({ before, after }: ComparedKernel): number => Math.abs(after.perStep - before.perStep);
  return [...names]
    .map(name => ({ name, before: perStep(first, name), after: perStep(last, name) }))
    .sort((a, b) => change(b) - change(a));
}

function cautionsOf(runs: readonly ComparedSteps[]): Warning[] {
  const [first] = runs;
  if (first === undefined) return [];
  return runs.flatMap(({ name, summary: { device, worldSize } }) => [
    ...when(
      device !== first.summary.device,
      'VENTURI_WARN_OTHER_MACHINE',
      `${name} ran on another device: ${device ?? 'none'}, not ${first.summary.device ?? 'none'}.`,
    ),
    ...when(
      worldSize !== first.summary.worldSize,
      'VENTURI_WARN_OTHER_MACHINE',
      `${name} is of a job of ${worldSize} ranks, ${first.name} of one of ${first.summary.worldSize}.`,
    ),
  ]);
}
