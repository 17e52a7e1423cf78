import type { Interval } from '../../math/statistics.ts';
import { heading } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { endsWords } from '../ends-words.ts';
import { count, decimal, orBlank, percent, preciseTime, rate, time } from '../format.ts';
import { timeWithin, within } from '../intervals.ts';
import { labelsOf, verdictName } from '../labels.ts';
import type {
  ComparedOperator,
  ComparedProfiles,
  ComparedRun,
  ComparedShare,
  PipelineComparison,
  ProfiledShare,
} from '../results/comparison.ts';
import type { Block, Report } from '../tree.ts';
import { activityTable } from './activity.ts';
import { cautionBlocks } from './problems.ts';

/** Line one: the last run / the first, and whether the difference is noise. */
export function comparisonReport({ runs, operators, profiles, cautions }: PipelineComparison): Report {
  const first = runs[0];
  const last = runs.at(-1);
  return [
    ...(first === undefined || last === undefined ? [] : [{ type: 'verdict', text: headline(first, last) } as const]),
    ...cautionBlocks(cautions),
    heading(
      'Runs',
      `elements per second${first === undefined ? '' : endsWords(first.ends, first.graph)}, with 90 % intervals`,
    ),
    table(runs, [
      names('run', ({ name }) => name),
      figures('throughput', run => within(run.rate)),
      figures('ratio to first', ({ ratio, withinNoise }, at) =>
        at === 0 ? '' : `${within(ratio)}${withinNoise ? ' (noise)' : ''}`,
      ),
      figures('CPU/output', ({ cpuDemand }) => timeWithin(cpuDemand)),
      optional(
        figures('cores busy', ({ coresBusy, coresUsable }) => `${decimal(coresBusy)} of ${decimal(coresUsable)}`),
      ),
      names('bottleneck', ({ verdict, graph }) => verdictName(verdict, labelsOf(graph.operators))),
    ]),
    heading('Operators', 'CPU/element, and lanes'),
    table(operators, [
      names('operator', ({ label }) => label),
      ...runs.flatMap(({ name }, at) => [
        figures(name, ({ cpuPerElement }: ComparedOperator) => timeIn(cpuPerElement[at])),
        optional(figures('lanes', ({ lanes }: ComparedOperator) => count(lanes[at]))),
      ]),
      figures('change', change),
    ]),
    ...(profiles === undefined ? [] : profileBlocks(profiles, runs)),
  ];
}

function profileBlocks({ operators, activity }: ComparedProfiles, runs: readonly ComparedRun[]): Block[] {
  const drawn = activity.flatMap((each, at): Block[] => {
    const rows = each === undefined ? undefined : activityTable(each);
    if (each === undefined || rows === undefined) return [];
    return [
      heading(`Activity of ${runs[at]?.name ?? ''}`, `${time(each.binNs)} a column, from ${time(each.fromNs)} on`),
      rows,
    ];
  });
  return [
    heading('Samples', "part of the lanes' work, the range it lies in, and time per element"),
    table(operators, [
      names('operator', ({ label }) => label),
      ...runs.flatMap(({ name }, at) => [
        figures(name, ({ shares }: ComparedShare) => shareIn(shares[at])),
        figures('an element', ({ shares }: ComparedShare) => orBlank(preciseTime, shares[at]?.nsPerRow)),
      ]),
      figures('change', ({ withinNoise }) => (withinNoise ? 'noise' : 'yes')),
    ]),
    ...drawn,
  ];
}

const shareIn = (found: ProfiledShare | undefined): string =>
  found === undefined ? '' : `${percent(found.share)} (${percent(found.band.low)} to ${percent(found.band.high)})`;

const timeIn = (cpu: Interval | undefined): string => (cpu === undefined ? '' : timeWithin(cpu));

function headline(first: ComparedRun, last: ComparedRun): string {
  const { estimate, low, high } = last.ratio;
  const rates = `${rate(last.rate.estimate)} against ${rate(first.rate.estimate)}`;
  if (!Number.isFinite(estimate)) return `${last.name} cannot be compared with ${first.name}: no rate is known`;
  if (last.withinNoise) return `${last.name} is as fast as ${first.name}, as far as these runs can tell: ${rates}`;
  const factor = estimate > 1 ? estimate : 1 / estimate;
  const range = estimate > 1 ? [low, high] : [1 / high, 1 / low];
  return (
    `${last.name} is ${factor.toFixed(2)} times ${estimate > 1 ? 'faster' : 'slower'} than ${first.name} ` +
    `(${range.map(end => end.toFixed(2)).join(' to ')}): ${rates}`
  );
}

function change({ ratio, withinNoise }: ComparedOperator): string {
  if (ratio === undefined) return '';
  if (withinNoise) return 'noise';
  return ratio.estimate < 1 ? `${percent(1 - ratio.estimate)} less` : `${percent(ratio.estimate - 1)} more`;
}
