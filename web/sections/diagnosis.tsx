import type { JSX } from 'preact';
import type { Finding } from '../../src/findings/registry.ts';
import { decimal, percent, rate, time } from '../../src/report/format.ts';
import type { SectionOf } from '../../src/report/page/document.ts';
import type { PipelineDiagnosis } from '../../src/report/results/diagnosis.ts';
import type { RunInfo } from '../../src/report/results/run-info.ts';
import type { ListItem } from '../../src/report/tree.ts';
import { Blocks, Fix, Table } from '../blocks.tsx';
import { GraphView } from '../graph/graph-view.tsx';
import { type Part, partsOf } from '../parts.ts';
import { isSelected, selection } from '../state.ts';
import { findingRange } from './finding-range.ts';
import { Hero, type Stat } from './hero.tsx';

/** What limits a pipeline: verdict, graph, other findings, tables. */
export function DiagnosisSection({
  section,
  info,
}: {
  readonly section: SectionOf<'diagnosis'>;
  readonly info: RunInfo | undefined;
}): JSX.Element {
  const { data, blocks } = section;
  const [top, ...parts] = partsOf(blocks);
  const select = (finding: Finding): void => choose(data, finding);
  return (
    <>
      <Hero blocks={top?.blocks ?? []} stats={statsOf(data)} onSelect={() => select(data.verdict)} />
      {parts.map(part => (
        <DiagnosisPart key={part.heading?.text} part={part} data={data} info={info} select={select} />
      ))}
    </>
  );
}

function DiagnosisPart({
  part: { heading, blocks },
  data,
  info,
  select,
}: {
  readonly part: Part;
  readonly data: PipelineDiagnosis;
  readonly info: RunInfo | undefined;
  readonly select: (finding: Finding) => void;
}): JSX.Element {
  const [block] = blocks;
  const title = heading === undefined ? null : <Blocks blocks={[heading]} />;
  if (block?.type === 'graph') {
    return (
      <>
        <h3>
          Pipeline{' '}
          <small>shares of all CPU by operator, time of the lanes by stage; lines: throughput and queues</small>
        </h3>
        <GraphView diagnosis={data} info={info} />
      </>
    );
  }
  if (block?.type === 'list' && block.items.length === data.others.length && heading?.text === 'Other findings') {
    return (
      <>
        {title}
        <ol class="findings">
          {block.items.map((item, at) => (
            <FindingItem key={item.text} item={item} finding={data.others[at]} select={select} />
          ))}
        </ol>
      </>
    );
  }
  const operators =
    block?.type !== 'table'
      ? undefined
      : block.rows.length === data.stages.length && heading?.text === 'Stages'
        ? data.stages.map(stage => stage.operators)
        : block.rows.length === data.operators.length && heading?.text === 'Operators'
          ? data.operators.map(({ id }) => [id])
          : undefined;
  if (block?.type === 'table' && operators !== undefined) {
    return (
      <>
        {title}
        <Table block={block} operators={operators} />
      </>
    );
  }
  return (
    <>
      {title}
      <Blocks blocks={blocks} />
    </>
  );
}

function FindingItem({
  item,
  finding,
  select,
}: {
  readonly item: ListItem;
  readonly finding: Finding | undefined;
  readonly select: (finding: Finding) => void;
}): JSX.Element {
  const isChosen = finding !== undefined && isSelected(finding.operators);
  return (
    <li class={isChosen ? 'chosen' : ''}>
      <button type="button" class="finding" aria-pressed={isChosen} onClick={() => finding && select(finding)}>
        {item.text}
      </button>
      {item.remedy === undefined ? null : <Fix text={item.remedy} />}
    </li>
  );
}

/** A finding's operators, and when its stage was the bottleneck. */
function choose(data: PipelineDiagnosis, finding: Finding): void {
  selection.value = { operators: finding.operators, range: findingRange(data, finding) };
}

function statsOf({ rate: measured, cpu, steady, seconds, consumer, verdict }: PipelineDiagnosis): Stat[] {
  const half = (measured.high - measured.low) / 2;
  return [
    { label: 'throughput', value: rate(measured.estimate), note: Number.isFinite(half) ? `± ${rate(half)}` : '' },
    ...(verdict.gain === undefined
      ? []
      : [{ label: 'possible', value: rate(verdict.gain.rate), note: `${decimal(verdict.gain.factor)} times as fast` }]),
    {
      label: 'cores busy',
      value: decimal(cpu.busy),
      note: `of ${decimal(cpu.usable)}${(cpu.others ?? 0) >= 0.1 ? `, ${decimal(cpu.others ?? 0)} by others` : ''}`,
    },
    ...(consumer === undefined
      ? []
      : [{ label: 'consumer waits', value: percent(consumer.waitShare), note: 'of its time' }]),
    {
      label: 'recorded',
      value: time(seconds * 1e9),
      note: `steady ${decimal(steady.fromSeconds)} to ${decimal(steady.toSeconds)} s`,
    },
  ];
}
