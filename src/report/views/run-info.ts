import { machineOf } from '../../model/host.ts';
import { heading, paragraph } from '../blocks.ts';
import { endsWords } from '../ends-words.ts';
import { decimal, percent, plural, rate, time } from '../format.ts';
import type { RunInfo } from '../results/run-info.ts';
import type { Block, Report } from '../tree.ts';
import { heaviest } from './heaviest.ts';
import { loaderCostBlocks } from './loader-costs.ts';
import { besideLoaders } from './loader-tables.ts';
import { loaderHeadline, loaderVerdict } from './loader-verdict.ts';
import { loaderBlocks } from './loaders-report.ts';
import { memoryBlocks } from './memory-growth.ts';
import { pipelineGraph } from './pipeline-graph.ts';
import { problemBlocks } from './problems.ts';
import { channelTable, laneTable, operatorTable } from './run-tables.ts';
import { totalFacts } from './run-totals.ts';
import { coresWords, runName } from './run-words.ts';
import { sampleBlocks } from './sample-tables.ts';
import { stepBlocks } from './step-phases.ts';

/** Duration, s, below which the start-up of threads and compiler biases every figure. */
const SHORT_SECONDS = 2;
/** Half width of the interval / CPU of an operator, above which shares are called rough. */
const ROUGH = 0.25;

/** Native functions shown for each operator. */
const SYMBOLS_SHOWN = 3;

/** Line one: the run, its throughput and its heaviest operator. */
export function headline(info: RunInfo): string {
  if (info.batches !== undefined) return loaderHeadline(info);
  const { totals, manifest } = info;
  const top = heaviest(info.operators);
  return (
    `${runName(info)}: ${plural(totals.elements, 'element')}${endsWords(totals.ends, manifest.graph)} in ${time(info.seconds * 1e9)}, ` +
    `${rate(totals.elementsPerSecond)}, ${coresWords({ busy: totals.coresBusy, usable: machineOf(manifest).coresUsable })}` +
    (top === undefined ? '' : `; ${top.label} takes ${percent(top.cpuShare)} of the CPU`)
  );
}

/** The short form, for the end of a run. */
export function runSummaryReport(info: RunInfo): Report {
  return [{ type: 'verdict', text: headline(info) }, ...cautions(info), operatorTable(info)];
}

export function runInfoReport(info: RunInfo): Report {
  return info.batches === undefined ? engineReport(info) : loadersReport(info, info.batches);
}

function loadersReport(info: RunInfo, batches: NonNullable<RunInfo['batches']>): Report {
  return [
    loaderVerdict(info),
    origin(info),
    ...endings(info),
    ...loaderCostBlocks(batches.loaders),
    ...batches.loaders.flatMap(loaderBlocks),
    ...(info.steps ?? []).flatMap(stepBlocks),
    ...besideLoaders(batches),
    ...memoryBlocks(info.memory ?? []),
    ...(info.samples === undefined ? [] : sampleBlocks(info.samples, SYMBOLS_SHOWN)),
    heading('Totals'),
    totalFacts(info),
    ...problemBlocks(info.problems),
  ];
}

function engineReport(info: RunInfo): Report {
  const blocks: Block[] = [{ type: 'verdict', text: headline(info) }, origin(info), ...cautions(info)];
  if (info.operators.length === 0) {
    blocks.push(paragraph('No operator was recorded. Record a run with: venturi run PIPELINE --record DIR'));
  } else {
    if (info.manifest.graph !== undefined) {
      blocks.push(heading('Pipeline', 'share of the CPU, and throughput'), pipelineGraph(info));
    }
    const note = 'CPU inside a fused stage is estimated; ± is its 95 % interval';
    blocks.push(heading('Operators', note), operatorTable(info));
  }
  if (info.lanesRows.length > 0) {
    const note = 'states of each thread, as shares of its wall time; queued: for a core';
    blocks.push(heading('Lanes', note), laneTable(info));
  }
  if (info.channels.length > 0) {
    blocks.push(heading('Channels', 'chunks queued between stages'), channelTable(info));
  }
  if (info.samples !== undefined) blocks.push(...sampleBlocks(info.samples, SYMBOLS_SHOWN));
  blocks.push(heading('Totals'), totalFacts(info));
  return [...blocks, ...problemBlocks(info.problems)];
}

function origin({ manifest }: RunInfo): Block {
  const { command, hosts = [] } = manifest;
  const host = machineOf(manifest);
  const facts = [
    `recorded ${manifest.createdAt.slice(0, 16).replace('T', ' ')} UTC`,
    host.runtime,
    ...(hosts.length > 1 ? [plural(hosts.length, 'host')] : []),
    `${decimal(host.coresUsable)} of ${plural(host.coresPresent, 'core')}`,
    ...(host.cpuModel === '' ? [] : [host.cpuModel]),
    ...(manifest.redacted ? ['redacted'] : []),
    ...(command.length === 0 ? [] : [command.join(' ')]),
  ];
  return paragraph(facts.join(' · '), 'muted');
}

/** Warnings about the end of the run, where it was not a normal one. */
function endings(info: RunInfo): Block[] {
  const { outcome } = info.manifest;
  const blocks: Block[] = [];
  if (!info.complete) {
    const text =
      'This run is incomplete: its recording was cut or still goes on. What follows is what was written until then.';
    blocks.push(paragraph(text, 'warn'));
  }
  if (outcome?.error !== undefined) {
    blocks.push(paragraph(`It failed with ${outcome.error.code}: ${outcome.error.message}`, 'bad'));
  }
  return blocks;
}

/** Warnings that stand before the figures. */
function cautions(info: RunInfo): Block[] {
  const blocks = endings(info);
  const top = heaviest(info.operators);
  const isShort = info.seconds < SHORT_SECONDS;
  const isRough = top !== undefined && (top.cpuIntervalNs[1] - top.cpuIntervalNs[0]) / 2 > ROUGH * top.cpuNs;
  if (isShort || isRough) {
    const reason = isShort
      ? `This run is short (${time(info.seconds * 1e9)}): start-up weighs on its figures.`
      : 'Few elements were timed: shares inside a stage are rough.';
    blocks.push(paragraph(`${reason} A longer one tells more: --epochs 10.`, 'warn'));
  }
  return blocks;
}
