import { SHORT_WAIT_NS } from '../../analysis/findings/consumer-bound.ts';
import type { StageRates } from '../../analysis/rates/rates.ts';
import type { Finding } from '../../model/finding.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { endsWords } from '../ends-words.ts';
import { findingWords, type WordContext } from '../findings/words.ts';
import {
  byteSize,
  coreCount,
  count,
  decimal,
  interval,
  leftWords,
  percent,
  precisePercent,
  preciseTime,
  rate,
  time,
} from '../format.ts';
import type { PipelineDiagnosis } from '../results/diagnosis.ts';
import type { FleetRow } from '../results/fleet.ts';
import type { SeriesProvider } from '../series.ts';
import { shellWord } from '../shell-word.ts';
import type { Block, GraphBlock, Report, TableBlock } from '../tree.ts';
import { problemBlocks } from './problems.ts';

const STEADY = 'steady';
const NARROW = 'narrow-place';

/** Line one is the verdict, line two what to do; then why, and what else there is. */
export function diagnosisReport(diagnosis: PipelineDiagnosis, command: string): Report {
  const context = wordContext(diagnosis, command);
  const words = findingWords(diagnosis.verdict, context);
  const blocks: Block[] = [
    { type: 'verdict', text: words.text, ...(words.fix === undefined ? {} : { fix: words.fix }) },
    ...words.doubts.map((text): Block => ({ type: 'paragraph', text, tone: 'warn' })),
    {
      type: 'timeline',
      fromSeconds: 0,
      toSeconds: diagnosis.seconds,
      tracks: [
        { key: STEADY, label: 'judged' },
        { key: NARROW, label: 'narrow place' },
      ],
      short: { type: 'paragraph', text: measured(diagnosis), tone: 'muted' },
    },
    { type: 'heading', text: 'Pipeline', note: 'how busy the lanes of each operator are, and elements per second' },
    busyGraph(diagnosis),
    { type: 'heading', text: 'Stages', note: 'ceiling: the rate its lanes could keep up if nothing else held them' },
    stageTable(diagnosis),
    {
      type: 'heading',
      text: 'Operators',
      note: `per element${endsWords(diagnosis.ends, diagnosis.graph) || ' that leaves the pipeline'}, unless it says otherwise`,
    },
    operatorTable(diagnosis),
  ];
  if (diagnosis.others.length > 0) {
    blocks.push({ type: 'heading', text: 'Also' });
    blocks.push({
      type: 'list',
      items: diagnosis.others.map(finding => {
        const { text, fix } = findingWords(finding, context);
        return { text, mark: 'warn', ...(fix === undefined ? {} : { remedy: fix }) };
      }),
    });
  }
  return [...blocks, ...problemBlocks(diagnosis.problems)];
}

export const diagnosisSeries = ({ steady, segments }: PipelineDiagnosis): SeriesProvider => ({
  points: () => undefined,
  periods: key => {
    if (key === STEADY) return [{ ...steady, label: 'steady' }];
    if (key !== NARROW) return undefined;
    return segments.flatMap(({ place, ...period }) => (place === undefined ? [] : [{ ...period, label: place }]));
  },
});

export function wordContext({ graph, rate: { estimate }, cpu }: PipelineDiagnosis, command: string): WordContext {
  const labels = new Map(graph.operators.map(({ id, label }) => [id, label]));
  return {
    label: id => labels.get(id) ?? id,
    rate: estimate,
    on: leftWords(cpu),
    setting: ({ operator, setting, value }) => `${command} --set ${shellWord(`${operator}.${setting}=${value}`)}`,
  };
}

/** What to type to run it again: the command of the recording, without what belongs to that recording alone. */
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

function measured({
  name,
  graph,
  ends,
  rate: measuredRate,
  steady,
  seconds,
  cpu,
  consumer,
  complete,
  status,
}: PipelineDiagnosis): string {
  const state = complete ? (status === 'completed' ? '' : ` (${status})`) : ' (incomplete)';
  return [
    `${name}${state}: ${time(seconds * NS_PER_SECOND)}, judged by seconds ${decimal(steady.fromSeconds)} to ${decimal(steady.toSeconds)}`,
    `${rateWithin(measuredRate)} elements/s${endsWords(ends, graph)}`,
    `${decimal(cpu.busy)} of ${coreCount(cpu.usable)} busy${cpu.others !== undefined && cpu.others >= 0.1 ? `, ${decimal(cpu.others)} by other programs` : ''}`,
    ...(consumer === undefined ? [] : [`the consumer waits ${percent(consumer.waitShare)} of its time`]),
  ].join(' · ');
}

const rateWithin = ({ estimate, low, high }: PipelineDiagnosis['rate']): string =>
  Number.isFinite(low) && Number.isFinite(high) ? interval(estimate, low, high) : decimal(estimate);

export function busyGraph({ graph, stages, rows, verdict }: PipelineDiagnosis): GraphBlock {
  const stageOf = new Map(stages.flatMap(stage => stage.operators.map(id => [id, stage] as const)));
  const rates = new Map(rows.map(row => [row.id, row.elementsPerSecond]));
  return {
    type: 'graph',
    nodes: graph.operators.map(({ id, label, inputs }) => ({
      id,
      label,
      inputs,
      share: stageOf.get(id)?.busy,
      figure: rate(rates.get(id)),
      emphasis: isNarrow(verdict, id),
    })),
    groups: stages.map(stage => ({
      nodes: stage.operators,
      label: `${stage.lanes} ${stage.lanes === 1 ? 'lane' : 'lanes'}`,
    })),
    edges: [],
  };
}

const isNarrow = ({ limits, operators }: Finding, id: string): boolean => limits && operators.includes(id);

const STATES = [
  ['running', 'running'],
  ['runnable', 'for a core'],
  ['blocked', 'blocked'],
  ['starved', 'starved'],
  ['backpressured', 'back-pr.'],
] as const;

function stageTable({ stages, graph }: PipelineDiagnosis): TableBlock {
  const labels = new Map(graph.operators.map(({ id, label }) => [id, label]));
  const nameOf = ({ operators, id }: StageRates): string =>
    operators.map(each => labels.get(each) ?? each).join('+') || id;
  return {
    type: 'table',
    columns: [
      { title: 'stage', align: 'left' },
      { title: 'lanes', align: 'right' },
      { title: 'ceiling', align: 'right' },
      ...STATES.map(([, title]) => ({ title, align: 'right' as const, optional: true })),
    ],
    rows: stages.map(stage => [
      nameOf(stage),
      count(stage.lanes),
      Number.isFinite(stage.ceiling) ? rate(stage.ceiling) : '',
      ...STATES.map(([state]) => precisePercent(stage.states[state])),
    ]),
  };
}

function operatorTable({ operators, sizes }: PipelineDiagnosis): TableBlock {
  const sizeOf = new Map(sizes.map(size => [size.id, size]));
  return {
    type: 'table',
    columns: [
      { title: 'operator', align: 'left' },
      { title: 'visits', align: 'right' },
      { title: 'CPU', align: 'right' },
      { title: 'CPU each', align: 'right' },
      { title: 'rate per core', align: 'right' },
      { title: 'elements in all', align: 'right', optional: true },
      { title: 'kept it takes', align: 'right', optional: true },
    ],
    rows: operators.map(({ id, label, visitRatio, cpuDemand, cpuPerElement, resourceAccountedRate, sequential }) => {
      const size = sizeOf.get(id);
      return [
        `${label}${sequential ? ' (in order)' : ''}`,
        decimal(visitRatio),
        preciseTime(cpuDemand.estimate * NS_PER_SECOND),
        preciseTime(cpuPerElement * NS_PER_SECOND),
        Number.isFinite(resourceAccountedRate) ? rate(resourceAccountedRate) : '',
        size?.elements === undefined
          ? ''
          : Number.isFinite(size.elements.estimate)
            ? count(size.elements.estimate)
            : 'endless',
        size?.bytes === undefined || !Number.isFinite(size.bytes.estimate) ? '' : byteSize(size.bytes.estimate),
      ];
    }),
  };
}

/** The run among others. */
export function diagnosisRow({ consumer, verdict, graph, ends, cpu, rate: measured }: PipelineDiagnosis): FleetRow {
  const first = graph.operators.find(({ id }) => id === verdict.operators[0])?.label;
  return {
    waitShare: consumer?.waitShare,
    wait: consumer?.wait,
    utilisation: cpu.utilisation,
    rate: `${rate(measured.estimate)}${endsWords(ends, graph)}`,
    limit: first === undefined ? verdict.kind : `${verdict.kind}: ${first}`,
    cause: verdict.cause,
    gain: verdict.gain,
    isWaiting: consumer !== undefined && consumer.wait >= SHORT_WAIT_NS && verdict.kind !== 'consumer-bound',
  };
}
