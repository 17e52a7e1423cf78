import type { StageRates } from '../../analysis/rates/rates.ts';
import { SHORT_WAIT_NS } from '../../findings/consumer-bound.ts';
import type { WordContext } from '../../findings/definition.ts';
import { findingWords } from '../../findings/words.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { heading } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { endsWords } from '../ends-words.ts';
import {
  byteSize,
  count,
  decimal,
  leftWords,
  orBlank,
  percent,
  plural,
  precisePercent,
  preciseTime,
  rate,
  time,
} from '../format.ts';
import { within } from '../intervals.ts';
import { labelsOf, verdictName } from '../labels.ts';
import type { PipelineDiagnosis } from '../results/diagnosis.ts';
import type { FleetRow } from '../results/fleet.ts';
import { shellWord } from '../shell-word.ts';
import type { GraphBlock, Report, TableBlock } from '../tree.ts';
import { doubtBlocks, otherFindings, verdictBlock } from './finding-blocks.ts';
import { problemBlocks } from './problems.ts';
import { coresWords, runName } from './run-words.ts';

/** The verdict and the fix; then the evidence and other findings. */
export function diagnosisReport(diagnosis: PipelineDiagnosis, command: string): Report {
  const context = wordContext(diagnosis, command);
  const words = findingWords(diagnosis.verdict, context);
  return [
    verdictBlock(words),
    ...doubtBlocks(words),
    { type: 'summary', text: measured(diagnosis), tone: 'muted' },
    heading('Pipeline', "utilisation of each operator's lanes, and throughput"),
    busyGraph(diagnosis),
    heading('Stages', 'ceiling: throughput if only its lanes limited it; queued: for a core'),
    stageTable(diagnosis),
    heading(
      'Operators',
      `output: an element${endsWords(diagnosis.ends, diagnosis.graph) || ' that leaves the pipeline'}; visits: elements/output`,
    ),
    operatorTable(diagnosis),
    ...otherFindings(diagnosis.others.map(other => ({ words: findingWords(other, context), mark: 'warn' }))),
    ...problemBlocks(diagnosis.problems),
  ];
}

export function wordContext({ graph, rate: { estimate }, cpu }: PipelineDiagnosis, command: string): WordContext {
  return {
    label: labelsOf(graph.operators),
    now: estimate,
    on: leftWords(cpu),
    setting: ({ operator, setting, value }) => `${command} --set ${shellWord(`${operator}.${setting}=${value}`)}`,
    option: text => `${withoutOption(command, text)} ${text}`,
  };
}

/** What the run was given for the option that `text` sets gives way to it. */
const withoutOption = (command: string, text: string): string =>
  command.replace(new RegExp(` ${text.slice(0, text.indexOf(' '))} \\S+`), '');

/** The recorded command, without the options of the recording itself. */
export function runAgain(recorded: readonly string[]): string {
  if (recorded[0] !== 'venturi' || recorded[1] !== 'run') return 'venturi run PIPELINE';
  const kept: string[] = [];
  for (let at = 0; at < recorded.length; at++) {
    const word = recorded[at] ?? '';
    if (word === '--record') at++;
    else if (!word.startsWith('--record=') && word !== '--json') kept.push(shellWord(word));
  }
  return kept.join(' ');
}

function measured(diagnosis: PipelineDiagnosis): string {
  const { graph, ends, steady, consumer } = diagnosis;
  return [
    `${runName(diagnosis)}: ${time(diagnosis.seconds * NS_PER_SECOND)}, steady from ${decimal(steady.fromSeconds)} s to ${decimal(steady.toSeconds)} s`,
    `${within(diagnosis.rate)} elements/s${endsWords(ends, graph)}`,
    coresWords(diagnosis.cpu),
    ...(consumer === undefined ? [] : [`the consumer waits ${percent(consumer.waitShare)} of its time`]),
  ].join(' · ');
}

export function busyGraph({ graph, stages, rows, verdict }: PipelineDiagnosis): GraphBlock {
  const stageOf = new Map(stages.flatMap(stage => stage.operators.map(id => [id, stage] as const)));
  const rates = new Map(rows.map(row => [row.id, row.elementsPerSecond]));
  const narrow = new Set(verdict.limits ? verdict.operators : []);
  return {
    type: 'graph',
    nodes: graph.operators.map(({ id, label, inputs }) => ({
      id,
      label,
      inputs,
      share: stageOf.get(id)?.busy,
      figure: rate(rates.get(id)),
      emphasis: narrow.has(id),
    })),
    groups: stages.map(stage => ({
      nodes: stage.operators,
      label: plural(stage.lanes, 'lane'),
    })),
    edges: [],
  };
}

const STATES = [
  ['running', 'running'],
  ['runnable', 'queued'],
  ['blocked', 'blocked'],
  ['starved', 'starved'],
  ['backpressured', 'back-pressured'],
] as const;

function stageTable({ stages, graph }: PipelineDiagnosis): TableBlock {
  const label = labelsOf(graph.operators);
  return table(stages, [
    names('stage', ({ operators, id }) => operators.map(label).join('+') || id),
    figures('lanes', ({ lanes }) => count(lanes)),
    figures('ceiling', ({ ceiling }) => orBlank(rate, ceiling)),
    ...STATES.map(([state, title]) =>
      optional(figures(title, ({ states }: StageRates) => precisePercent(states[state]))),
    ),
  ]);
}

function operatorTable({ operators, sizes }: PipelineDiagnosis): TableBlock {
  const sizeOf = new Map(sizes.map(size => [size.id, size]));
  return table(operators, [
    names('operator', ({ label, sequential }) => `${label}${sequential ? ' (in order)' : ''}`),
    figures('visits', ({ visitRatio }) => decimal(visitRatio)),
    figures('CPU/output', ({ cpuDemand }) => preciseTime(cpuDemand.estimate * NS_PER_SECOND)),
    figures('CPU/element', ({ cpuPerElement }) => preciseTime(cpuPerElement * NS_PER_SECOND)),
    figures('rate/core', ({ resourceAccountedRate }) => orBlank(rate, resourceAccountedRate)),
    optional(figures('elements/pass', ({ id }) => elementCount(sizeOf.get(id)?.elements?.estimate))),
    optional(figures('cache size', ({ id }) => orBlank(byteSize, sizeOf.get(id)?.bytes?.estimate))),
  ]);
}

function elementCount(elements: number | undefined): string {
  if (elements === undefined) return '';
  return Number.isFinite(elements) ? count(elements) : 'endless';
}

/** The run among others. */
export function diagnosisRow({ consumer, verdict, graph, ends, cpu, rate: measured }: PipelineDiagnosis): FleetRow {
  return {
    waitShare: consumer?.waitShare,
    wait: consumer?.wait,
    utilisation: cpu.utilisation,
    rate: `${rate(measured.estimate)}${endsWords(ends, graph)}`,
    limit: verdictName(verdict, labelsOf(graph.operators)),
    cause: verdict.cause,
    gain: verdict.gain,
    isWaiting: consumer !== undefined && consumer.wait >= SHORT_WAIT_NS && verdict.kind !== 'consumer-bound',
  };
}
