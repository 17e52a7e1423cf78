import { NS_PER_SECOND } from '../../model/units.ts';
import { loaderWords } from '../findings/loader-words.ts';
import { coreCount, decimal, rate, time } from '../format.ts';
import { pathFrom } from '../paths.ts';
import type { FleetRow } from '../results/fleet.ts';
import type { LoaderEdit } from '../results/loader-edit.ts';
import type { ProgramDiagnosis } from '../results/program-diagnosis.ts';
import type { Block, CodeLine, Report } from '../tree.ts';
import { keptDecodedBlocks } from './kept-decoded.ts';
import { loaderCostBlocks } from './loader-costs.ts';
import { lateTable } from './loader-tables.ts';
import { loaderBlocks } from './loaders-report.ts';
import { problemBlocks } from './problems.ts';
import { insideOperators } from './sample-tables.ts';
import { stepBlocks } from './step-phases.ts';

/** Line one is the verdict, line two what to do, then the edit; why, and what else there is. `directory`: where its reader stands. */
export function programDiagnosisReport(diagnosis: ProgramDiagnosis, directory: string): Report {
  const words = loaderWords(diagnosis.verdict);
  const [first] = diagnosis.loaders;
  const blocks: Block[] = [
    { type: 'verdict', text: words.text, ...(words.fix === undefined ? {} : { fix: words.fix }) },
    ...editBlocks(first?.edit, directory),
    ...words.doubts.map((text): Block => ({ type: 'paragraph', text, tone: 'warn' })),
    { type: 'paragraph', text: measured(diagnosis), tone: 'muted' },
  ];
  blocks.push(...loaderCostBlocks(diagnosis.loaders.map(({ summary }) => summary)));
  if (diagnosis.others.length > 0) {
    blocks.push({ type: 'heading', text: 'Also' });
    blocks.push({
      type: 'list',
      items: diagnosis.others.map(finding => {
        const { text, fix } = loaderWords(finding);
        return { text, mark: finding.limits ? 'point' : 'warn', ...(fix === undefined ? {} : { remedy: fix }) };
      }),
    });
  }
  blocks.push(...diagnosis.steps.flatMap(stepBlocks));
  for (const loader of diagnosis.loaders) blocks.push(...keptDecodedBlocks(loader));
  if (diagnosis.samples !== undefined) blocks.push(...insideOperators(diagnosis.samples));
  for (const { summary } of diagnosis.loaders) {
    blocks.push(...loaderBlocks(summary), { type: 'heading', text: 'Late batches', note: 'part of all batches' });
    blocks.push(lateTable(summary));
  }
  return [...blocks, ...problemBlocks(diagnosis.problems)];
}

/**
 * A diff is copied as it is: nothing in it is wrapped. Its file is named relative to `directory` where it lies below, because
 * `patch -p0` refuses absolute paths.
 */
export function editBlocks(edit: LoaderEdit | undefined, directory: string): Block[] {
  if (edit === undefined) return [];
  const file = pathFrom(directory, edit.location?.replace(/:\d+$/, '') ?? '');
  const tone = (text: string): CodeLine['tone'] =>
    text.startsWith('+') ? 'good' : text.startsWith('-') ? 'bad' : undefined;
  const diff: CodeLine[] = [
    ...[`--- ${file}`, `+++ ${file}`].map((text): CodeLine => ({ text, tone: 'muted' })),
    ...edit.diff.map((text): CodeLine => ({ text, tone: tone(text) })),
  ];
  const words = [
    ...edit.advice.map(text => (edit.isOfSource || file === '' ? text : `${edit.location}: ${text}`)),
    ...(edit.options === undefined ? [] : [`Without an edit: run it with ${edit.options}`]),
  ];
  return [
    ...(edit.isOfSource ? [{ type: 'code', lines: diff } as const] : []),
    ...words.map((text): Block => ({ type: 'paragraph', text })),
  ];
}

function measured({ name, seconds, cpu, complete, status, torch, python }: ProgramDiagnosis): string {
  const state = complete ? (status === 'completed' ? '' : ` (${status})`) : ' (incomplete)';
  return [
    `${name}${state}: ${time(seconds * NS_PER_SECOND)}`,
    `${decimal(cpu.busy)} of ${coreCount(cpu.usable)} busy${cpu.others !== undefined && cpu.others >= 0.1 ? `, ${decimal(cpu.others)} by other programs` : ''}`,
    ...(torch === undefined ? [] : [`torch ${torch}`]),
    ...(python === undefined ? [] : [`python ${python}`]),
  ].join(' · ');
}

/** The run among others. */
export function programRow({ verdict, loaders, cpu }: ProgramDiagnosis): FleetRow {
  const loader = loaders[0]?.summary;
  return {
    waitShare: loader?.verdict.waitShare,
    wait: loader?.wait.mean,
    utilisation: cpu.busy / cpu.usable,
    rate: rate(loader?.elementsPerSecond ?? 0),
    limit: `${verdict.kind}: ${verdict.operators[0] ?? ''}`,
    cause: verdict.cause,
    gain: verdict.gain,
    isWaiting: verdict.kind !== 'consumer-bound' && verdict.kind !== 'few-batches',
  };
}
