import { PARTS, type Part } from '../../analysis/steps/breakdown.ts';
import { heading } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { count, percent, preciseTime, time } from '../format.ts';
import { kernelName } from '../kernel-name.ts';
import type { ComparedSteps, StepsComparison } from '../results/steps.ts';
import type { Report } from '../tree.ts';
import { cautionBlocks } from './problems.ts';

const PART_NAMES: Readonly<Record<Part, string>> = {
  compute: 'compute',
  communication: 'communication',
  copy: 'copies',
  input: 'input',
  host: 'host',
};

const MOST_KERNELS = 12;

/** Line one: how the last trace's steps compare with the first one's. */
export function stepsComparisonReport({ runs, kernels, cautions }: StepsComparison): Report {
  const [first, last] = [runs[0], runs.at(-1)];
  const parts = PARTS.filter(part => runs.some(({ summary }) => summary.mean[part] > 0));
  return [
    ...(first === undefined || last === undefined ? [] : [{ type: 'verdict', text: headline(first, last) } as const]),
    ...cautionBlocks(cautions),
    heading('Traces', 'mean time of a step, and what it waits for'),
    table(runs, [
      names('trace', ({ name }) => name),
      figures('step', ({ summary }) => preciseTime(summary.time.mean)),
      figures('× first', ({ ratio }) => ratio.toFixed(2)),
      ...parts.map(part => figures(PART_NAMES[part], ({ summary }: ComparedSteps) => preciseTime(summary.mean[part]))),
      optional(figures('steps', ({ summary }) => count(summary.time.count))),
      optional(names('device', ({ summary }) => summary.device ?? '')),
    ]),
    ...(kernels.length === 0
      ? []
      : [
          heading('Kernels that differ most', `time a step in ${first?.name} and ${last?.name}`),
          table(kernels.slice(0, MOST_KERNELS), [
            figures('before', ({ before }) => preciseTime(before.perStep)),
            figures('after', ({ after }) => preciseTime(after.perStep)),
            optional(figures('count before', ({ before }) => count(before.count))),
            optional(figures('count after', ({ after }) => count(after.count))),
            names('name', ({ name }) => kernelName(name)),
          ]),
        ]),
  ];
}

function headline(first: ComparedSteps, last: ComparedSteps): string {
  const times = `a step of ${last.name} takes ${time(last.summary.time.mean)} where one of ${first.name} took ${time(first.summary.time.mean)}`;
  if (last.withinNoise) return `No difference that is more than noise: ${times}`;
  const change = last.ratio < 1 ? `${percent(1 - last.ratio)} less` : `${percent(last.ratio - 1)} more`;
  const most =
    [...PARTS].sort((a, b) => Math.abs(difference(first, last, b)) - Math.abs(difference(first, last, a)))[0] ??
    'compute';
  const by = difference(first, last, most);
  return `Steps take ${change} time: ${times}; most of the difference is ${PART_NAMES[most]}, ${by < 0 ? '-' : '+'}${time(Math.abs(by))}`;
}

const difference = (first: ComparedSteps, last: ComparedSteps, part: Part): number =>
  last.summary.mean[part] - first.summary.mean[part];
