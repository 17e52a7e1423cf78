import type { Interval } from '../../math/statistics.ts';
import type { Constraint } from '../../prediction/cost/ceiling.ts';
import { heading, paragraph } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { endsWords } from '../ends-words.ts';
import { decimal, leftWords, percent, plural, rate } from '../format.ts';
import { rateBand, rateWithin } from '../intervals.ts';
import { type Label, labelsOf, verdictName } from '../labels.ts';
import type { PipelineTuneResult } from '../results/tuning.ts';
import type { Block, Report, VerdictBlock } from '../tree.ts';
import { callBlocks } from './calls.ts';
import { planTable } from './plan.ts';
import { cautionBlocks, problemBlocks } from './problems.ts';

/** Line one: the gain; line two: the command. Then the plan, and forecasts against measurements. */
export function tuningReport(result: PipelineTuneResult, command: string): Report {
  const label = labelsOf([...result.tried, result.before].flatMap(({ graph }) => graph.operators));
  const blocks: Block[] = [
    headline(result, label, command),
    ...answers(result, label),
    ...cautionBlocks(result.cautions),
  ];
  const { changes } = result.plan;
  if (changes.length > 0) {
    blocks.push(heading('Plan', 'throughput with this change and those above it'));
    blocks.push(planTable(changes, label));
  }
  if (result.calls !== undefined) blocks.push(...callBlocks(result.calls, label));
  const rows = [
    { ...result.before, name: 'as it is', isBefore: true },
    ...result.tried.map((plan, at) => ({
      ...plan,
      name: `${at === result.best ? '→ ' : ''}plan ${at + 1}`,
      isBefore: false,
    })),
  ];
  blocks.push(
    heading('Tried', 'with 90 % intervals'),
    table(rows, [
      names('plan', ({ name }) => name),
      figures('predicted', ({ predicted }) => (predicted === undefined ? '' : rateWithin(predicted))),
      figures('measured', ({ measured }) => rateWithin(measured)),
      figures('error', ({ predicted, measured }) =>
        predicted === undefined ? '' : percent(Math.abs(predicted.estimate / measured.estimate - 1)),
      ),
      figures('gained', ({ isBefore, gained }) => (isBefore ? '' : `${factor(gained.estimate)}×`)),
      figures('lanes', ({ lanes }) => String(lanes)),
      optional(figures('cores busy', ({ coresBusy }) => decimal(coresBusy))),
      optional(names('bottleneck', ({ verdict }) => verdictName(verdict, label))),
    ]),
  );
  return [...blocks, ...problemBlocks(result.problems)];
}

/** On a machine that other programs use, the headline begins with the cores they leave. */
function headline(result: PipelineTuneResult, label: Label, command: string): VerdictBlock {
  const block = outcome(result, label, command);
  const left = leftWords({ usable: result.coresUsable, left: result.coresLeft });
  return left === undefined ? block : { ...block, text: `On ${left}: ${block.text}` };
}

function outcome(result: PipelineTuneResult, label: Label, command: string): VerdictBlock {
  const { before, gained, best, tried, target, ceiling, ceilingBy } = result;
  const chosen = best === undefined ? undefined : tried[best];
  const now = `${rate(before.measured.estimate)}${endsWords(result.ends, before.graph)}`;
  if (target !== undefined && !target.reached) {
    const because = ceilingBy === undefined ? '' : `, because ${ceilingWords(ceilingBy, label)}`;
    const most = Number.isFinite(ceiling.estimate)
      ? `at most ${rate(ceiling.estimate)}${rateBand(ceiling)} is possible here${because}`
      : 'the maximum here is unknown, because the recording is too uneven';
    const gets = chosen === undefined ? now : rate(chosen.measured.estimate);
    return {
      type: 'verdict',
      text: `No plan reaches ${rate(target.rate)}: ${most}; ${gets} was reached`,
      tone: 'warn',
      fix: chosen && command,
    };
  }
  if (chosen === undefined) {
    return { type: 'verdict', text: `Nothing to change: ${now} is ${whyAsItIs(result, label)}` };
  }
  const predicted = chosen.predicted === undefined ? '' : `; ${rate(chosen.predicted.estimate)} was predicted`;
  return {
    type: 'verdict',
    text:
      `${factor(gained.estimate)} times as fast${spread(gained)}${result.cold === undefined ? '' : ' from the second pass on'}: ` +
      `${rate(chosen.measured.estimate)} instead of ${now}${predicted}`,
    fix: command,
  };
}

/** The reason why the pipeline is not changed, to follow its rate. */
function whyAsItIs(result: PipelineTuneResult, label: Label): string {
  const { target, tried, binding, coresLeft } = result;
  const asFast = 'as fast as any plan that was found';
  const ran = `${plural(tried.length, 'plan')} ran, and`;
  const [best] = tried.toSorted((a, b) => b.gained.estimate - a.gained.estimate);
  const came = best === undefined ? '' : `${factor(best.gained.estimate)} times as fast${spread(best.gained)}`;
  switch (result.unchanged) {
    case 'enough':
      return `enough${target === undefined ? '' : ` for ${rate(target.rate)}`}`;
    case 'not-certain':
      return `kept: ${ran} the best was ${came}, within the variation between runs; longer recordings may tell: --for 30s`;
    case 'does-not-pay':
      return `kept: ${ran} the cache of the best would not pay off in so few passes; --epochs gives their number`;
    case 'not-faster':
      return `${asFast}: ${ran} the best was ${came}`;
    default:
      // The bottleneck of a plan would say nothing about the pipeline that stays without it.
      return `${asFast}, because ${bindingWords(binding, coresLeft, label)}`;
  }
}

function answers({ cold, binding, best, coresLeft, tried }: PipelineTuneResult, label: Label): Block[] {
  const lines: string[] = [];
  if (best !== undefined) lines.push(`Expected bottleneck: ${bindingWords(binding, coresLeft, label)}.`);
  if (cold !== undefined) {
    lines.push(
      `The first pass fills the cache${Number.isNaN(cold.rate.estimate) ? '' : `, at ${rate(cold.rate.estimate)}`}${cold.paysAfter === undefined ? '' : `; the cache pays off by the end of pass ${cold.paysAfter}`}.`,
    );
  }
  if (best !== undefined && tried[best]?.sampled === true) {
    lines.push('It was measured with a cache of the first elements; the plan caches all of them.');
  }
  return lines.map(text => paragraph(text, 'muted'));
}

const factor = (value: number): string => (value < 9.95 ? value.toFixed(2) : value.toFixed(1));

const spread = ({ low, high }: Interval): string =>
  Number.isFinite(low) && Number.isFinite(high) ? ` (${factor(low)} to ${factor(high)})` : '';

/** The bottleneck, as a clause. */
function bindingWords(binding: PipelineTuneResult['binding'], cores: number, label: Label): string {
  switch (binding.kind) {
    case 'cores':
      return cores === 1 ? 'its one core is busy' : `all ${decimal(cores)} cores are busy`;
    case 'lanes':
      return `the threads of ${label(binding.main)} are busy all the time`;
    case 'sequential':
      return `${label(binding.main)}, which sees all elements in order, keeps its one thread busy`;
    case 'storage':
      return 'storage is at its full bandwidth';
    case 'network':
      return 'the network is at its full bandwidth';
    case 'memory':
      return 'memory is at its full bandwidth';
    case 'consumer':
      return 'the consumer is busy all the time';
  }
}

/** The bottleneck of the ceiling, as a clause. */
function ceilingWords({ kind, operator = '', supply }: Constraint, label: Label): string {
  if (kind === 'calls') return `${label(operator)} has all its calls under way`;
  return bindingWords(
    kind === 'sequential' ? { kind, main: operator, operators: [operator] } : { kind },
    supply,
    label,
  );
}
