import { findingWords } from '../../findings/words.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { heading, paragraph } from '../blocks.ts';
import { rate, time } from '../format.ts';
import { verdictName } from '../labels.ts';
import { pathFrom } from '../paths.ts';
import type { FleetRow } from '../results/fleet.ts';
import type { LoaderEdit } from '../results/loader-edit.ts';
import type { ProgramDiagnosis } from '../results/program-diagnosis.ts';
import type { Block, CodeLine, Report } from '../tree.ts';
import { diffLine } from './diff-line.ts';
import { doubtBlocks, otherFindings, verdictBlock } from './finding-blocks.ts';
import { keptDecodedBlocks } from './kept-decoded.ts';
import { loaderCostBlocks } from './loader-costs.ts';
import { lateTable } from './loader-tables.ts';
import { loaderBlocks } from './loaders-report.ts';
import { problemBlocks } from './problems.ts';
import { coresWords, runName } from './run-words.ts';
import { insideOperators } from './sample-tables.ts';
import { stepBlocks } from './step-phases.ts';

/** The verdict, the fix, the edit; then the evidence and other findings. `directory`: the reader's working directory. */
export function programDiagnosisReport(diagnosis: ProgramDiagnosis, directory: string): Report {
  const words = findingWords(diagnosis.verdict);
  const [first] = diagnosis.loaders;
  return [
    verdictBlock(words),
    ...editBlocks(first?.edit, directory),
    ...doubtBlocks(words),
    paragraph(measured(diagnosis), 'muted'),
    ...loaderCostBlocks(diagnosis.loaders.map(({ summary }) => summary)),
    ...otherFindings(
      diagnosis.others.map(other => ({ words: findingWords(other), mark: other.limits ? 'point' : 'warn' })),
    ),
    ...diagnosis.steps.flatMap(stepBlocks),
    ...diagnosis.loaders.flatMap(keptDecodedBlocks),
    ...(diagnosis.samples === undefined ? [] : insideOperators(diagnosis.samples)),
    ...diagnosis.loaders.flatMap(({ summary }): Block[] => [
      ...loaderBlocks(summary),
      heading('Late batches', 'share of batches with a wait or delay longer than'),
      lateTable(summary),
    ]),
    ...problemBlocks(diagnosis.problems),
  ];
}

/**
 * A diff is copied as it is: nothing in it is wrapped. Its file is named relative to `directory` where it lies below, because
 * `patch -p0` refuses absolute paths.
 */
export function editBlocks(edit: LoaderEdit | undefined, directory: string): Block[] {
  if (edit === undefined) return [];
  const file = pathFrom(directory, edit.location?.replace(/:\d+$/, '') ?? '');
  const diff: CodeLine[] = [
    ...[`--- ${file}`, `+++ ${file}`].map((text): CodeLine => ({ text, tone: 'muted' })),
    ...edit.diff.map(diffLine),
  ];
  const words = [
    ...edit.advice.map(text => (edit.isOfSource || file === '' ? text : `${edit.location}: ${text}`)),
    ...(edit.options === undefined ? [] : [`Without an edit: run it with ${edit.options}`]),
  ];
  return [...(edit.isOfSource ? [{ type: 'code', lines: diff } as const] : []), ...words.map(text => paragraph(text))];
}

function measured(diagnosis: ProgramDiagnosis): string {
  const { seconds, cpu, torch, python } = diagnosis;
  return [
    `${runName(diagnosis)}: ${time(seconds * NS_PER_SECOND)}`,
    coresWords(cpu),
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
    limit: verdictName(verdict, name => name),
    cause: verdict.cause,
    gain: verdict.gain,
    isWaiting: verdict.kind !== 'consumer-bound' && verdict.kind !== 'few-batches',
  };
}
