import { isAbsolute, relative } from 'node:path';
import { NS_PER_SECOND } from '../../model/units.ts';
import { loaderWords } from '../../report/findings/loader-words.ts';
import { coreCount, decimal, time } from '../../report/format.ts';
import type { Block, CodeLine, Report } from '../../report/tree.ts';
import type { LoaderEdit, ProgramDiagnosis } from '../../workflow/index.ts';
import { keptDecodedBlocks } from './kept-decoded.ts';
import { loaderCostBlocks } from './loader-costs.ts';
import { lateTable } from './loader-tables.ts';
import { loaderBlocks } from './loaders-report.ts';
import { problemBlocks } from './problems.ts';
import { insideOperators } from './sample-tables.ts';
import { stepBlocks } from './step-phases.ts';

/** Line one is the verdict, line two what to do, then the edit; why, and what else there is. */
export function programDiagnosisReport(diagnosis: ProgramDiagnosis): Report {
  const words = loaderWords(diagnosis.verdict);
  const [first] = diagnosis.loaders;
  const blocks: Block[] = [
    { type: 'verdict', text: words.text, ...(words.fix === undefined ? {} : { fix: words.fix }) },
    ...editBlocks(first?.edit),
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

/** A diff is copied as it is: nothing in it is wrapped. */
export function editBlocks(edit: LoaderEdit | undefined): Block[] {
  if (edit === undefined) return [];
  const file = shownFile(edit.location?.replace(/:\d+$/, '') ?? '');
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

/** Path of the file in the diff: relative where it lies below the working directory, because `patch -p0` refuses absolute paths. */
function shownFile(file: string): string {
  const seen = relative(process.cwd(), file);
  return file === '' || seen.startsWith('..') || isAbsolute(seen) ? file : seen;
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
