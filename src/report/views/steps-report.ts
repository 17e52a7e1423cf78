import type { StepsSummary } from '../../analysis/steps/summary.ts';
import { findingWords } from '../../findings/words.ts';
import { NS_PER_MILLISECOND, NS_PER_SECOND } from '../../model/units.ts';
import { heading, paragraph } from '../blocks.ts';
import { count, percent, plural, rate, time } from '../format.ts';
import { verdictName } from '../labels.ts';
import type { FleetRow } from '../results/fleet.ts';
import type { StepsDiagnosis, StepsInfo } from '../results/steps.ts';
import type { Report } from '../tree.ts';
import { doubtBlocks, otherFindings, verdictBlock } from './finding-blocks.ts';
import { cautionBlocks } from './problems.ts';
import {
  assumptionBlocks,
  collectiveBlocks,
  idleBlocks,
  kernelBlocks,
  launchBlocks,
  partTable,
  pathBlocks,
  rankBlocks,
  stepTable,
} from './steps-tables.ts';

/** What limits training steps: the verdict, what a step waits for, the critical path. */
export function stepsDiagnosisReport(diagnosis: StepsDiagnosis): Report {
  const { summary } = diagnosis;
  const words = findingWords(diagnosis.verdict);
  return [
    verdictBlock(words),
    ...cautionBlocks(diagnosis.problems),
    ...doubtBlocks(words),
    paragraph(measured(diagnosis.name, summary), 'muted'),
    ...otherFindings(diagnosis.others.map(other => ({ words: findingWords(other), mark: 'warn' }))),
    heading('What a step waits for', timesWords(summary)),
    partTable(summary),
    ...pathBlocks(summary),
    ...kernelBlocks(summary),
    ...rankBlocks(summary),
    ...assumptionBlocks(summary),
  ];
}

/** Everything that is known of a trace. */
export function stepsInfoReport({ name, summary, problems }: StepsInfo): Report {
  return [
    { type: 'verdict', text: `${name}: ${measuredSteps(summary)}` },
    ...cautionBlocks(problems),
    paragraph(timesWords(summary), 'muted'),
    heading('Steps'),
    stepTable(summary),
    heading('What a step waits for'),
    partTable(summary),
    ...kernelBlocks(summary),
    ...idleBlocks(summary),
    ...launchBlocks(summary),
    ...collectiveBlocks(summary),
    ...pathBlocks(summary),
    ...rankBlocks(summary),
    ...assumptionBlocks(summary),
  ];
}

const measured = (name: string, summary: StepsSummary): string => `${name}: ${measuredSteps(summary)}`;

function measuredSteps({ time: times, device, worldSize, ranks, rank }: StepsSummary): string {
  return [
    `${plural(times.count, 'step')} of ${time(times.mean)}`,
    ...(device === undefined ? [] : [device]),
    ...(worldSize > 1
      ? [
          ranks.length === 1
            ? `rank ${rank} of ${count(worldSize)}`
            : `${count(ranks.length)} of ${plural(worldSize, 'rank')}, here rank ${rank}, the slowest`,
        ]
      : []),
  ].join(' · ');
}

function timesWords({ time: { count: steps, mean, deviation, median, least, most } }: StepsSummary): string {
  if (steps < 2) return `one step of ${time(mean)}`;
  return `median ${time(median)}, from ${time(least)} to ${time(most)}, standard deviation ${percent(deviation / mean)}`;
}

/** The trace in a table of many runs. */
export function stepsRow({ verdict, summary }: StepsDiagnosis): FleetRow {
  return {
    waitShare: summary.shares.input,
    wait: summary.mean.input,
    utilisation: 1 - summary.shares.input - summary.shares.host,
    rate: rate(NS_PER_SECOND / summary.time.mean),
    limit: verdictName(verdict, name => name),
    cause: verdict.cause,
    gain: verdict.gain,
    isWaiting: verdict.kind === 'input-bound',
  };
}

/** Figures by names that stay the same, for a tracker of experiments. */
export function flatSteps({ summary }: StepsInfo): Readonly<Record<string, number>> {
  const { time: times, mean, launches } = summary;
  return {
    'step/count': times.count,
    'step/mean_ms': times.mean / NS_PER_MILLISECOND,
    'step/deviation_ms': times.deviation / NS_PER_MILLISECOND,
    'step/compute_ms': mean.compute / NS_PER_MILLISECOND,
    'step/communication_exposed_ms': mean.communication / NS_PER_MILLISECOND,
    'step/copy_exposed_ms': mean.copy / NS_PER_MILLISECOND,
    'step/input_ms': mean.input / NS_PER_MILLISECOND,
    'step/host_ms': mean.host / NS_PER_MILLISECOND,
    ...(launches === undefined ? {} : { 'step/queue_length': launches.queueMean }),
  };
}
