import type { Interval } from '../../math/statistics.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { endsWords } from '../ends-words.ts';
import { count, decimal, interval, percent, rate, timeInterval } from '../format.ts';
import type { ComparedOperator, ComparedRun, Comparison } from '../results/comparison.ts';
import type { Block, Report } from '../tree.ts';
import { cautionBlocks } from './problems.ts';

/** Line one: is the last run faster than the first, and is that more than noise. */
export function comparisonReport({ runs, operators, cautions }: Comparison): Report {
  const first = runs[0];
  const last = runs.at(-1);
  const blocks: Block[] = [];
  if (first !== undefined && last !== undefined) {
    blocks.push({ type: 'verdict', text: headline(first, last) });
  }
  blocks.push(...cautionBlocks(cautions));
  blocks.push({
    type: 'heading',
    text: 'Runs',
    note: `elements per second${first === undefined ? '' : endsWords(first.ends, first.graph)}, with 90 % intervals`,
  });
  blocks.push({
    type: 'table',
    columns: [
      { title: 'run', align: 'left' },
      { title: 'rate', align: 'right' },
      { title: 'of the first', align: 'right' },
      { title: 'CPU per element', align: 'right' },
      { title: 'cores busy', align: 'right', optional: true },
      { title: 'what limits it', align: 'left' },
    ],
    rows: runs.map((run, at) => [
      run.name,
      within(run.rate),
      at === 0 ? '' : `${within(run.ratio)}${run.withinNoise ? ' (noise)' : ''}`,
      timeWithin(run.cpuDemand),
      `${decimal(run.coresBusy)} of ${decimal(run.coresUsable)}`,
      limitOf(run),
    ]),
  });
  blocks.push({ type: 'heading', text: 'Operators', note: 'CPU per element of their own, and lanes' });
  blocks.push({
    type: 'table',
    columns: [
      { title: 'operator', align: 'left' },
      ...runs.flatMap(({ name }) => [
        { title: name, align: 'right' as const },
        { title: 'lanes', align: 'right' as const, optional: true },
      ]),
      { title: 'change', align: 'right' },
    ],
    rows: operators.map(operator => [
      operator.label,
      ...operator.cpuPerElement.flatMap((cpu, at) => [
        cpu === undefined ? '' : timeWithin(cpu),
        count(operator.lanes[at]),
      ]),
      change(operator),
    ]),
  });
  return blocks;
}

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

const within = ({ estimate, low, high }: Interval): string =>
  Number.isFinite(low) && Number.isFinite(high) ? interval(estimate, low, high) : decimal(estimate);

const timeWithin = ({ estimate, low, high }: Interval): string =>
  timeInterval(estimate * NS_PER_SECOND, low * NS_PER_SECOND, Math.min(high, 1e6) * NS_PER_SECOND);

function change({ ratio, withinNoise }: ComparedOperator): string {
  if (ratio === undefined) return '';
  if (withinNoise) return 'noise';
  return ratio.estimate < 1 ? `${percent(1 - ratio.estimate)} less` : `${percent(ratio.estimate - 1)} more`;
}

function limitOf({ verdict, graph }: ComparedRun): string {
  const first = graph.operators.find(({ id }) => id === verdict.operators[0])?.label;
  return first === undefined ? verdict.kind : `${verdict.kind}: ${first}`;
}
