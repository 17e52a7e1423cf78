import { type ErrorCode, VenturiError } from '../../model/errors.ts';
import { heading, paragraph } from '../../report/blocks.ts';
import { htmlPage } from '../../report/html/page.ts';
import { renderMarkdown } from '../../report/markdown.ts';
import { fileName } from '../../report/paths.ts';
import type { Report } from '../../report/tree.ts';
import { describeRun } from '../info.ts';
import { judgeRuns } from '../verbs.ts';
import { VERSION } from '../version.ts';
import type { Exported, Exporter, ExportJob } from './exporter.ts';

const LEFT_OUT = ['spans and counters one by one: --to csv, parquet or perfetto has them'];

/** What the verdict and the tables of a run say, as a page without scripts. */
export const htmlExporter: Exporter = {
  run: ({ folder }, job) => page(folder, job),
  steps: ({ heading: { folder } }, job) => page(folder, job),
  takes: [],
};

/** The same for a pull request. */
export const markdownExporter: Exporter = {
  run: ({ folder }, job) => comment(folder, job),
  steps: ({ heading: { folder } }, job) => comment(folder, job),
  takes: [],
};

async function page(path: string, { out, files }: ExportJob): Promise<Exported> {
  const title = fileName(path);
  const notes = [
    `Written by venturi ${VERSION}. It holds names of operators, figures, the name of the machine's processor and the command line; ` +
      'no element of the data. It runs no script and loads nothing.',
    `Left out: ${LEFT_OUT.join('; ')}.`,
  ];
  await files.write(out, [htmlPage({ title, reports: await reportsOf(path), notes })]);
  return { leftOut: LEFT_OUT };
}

async function comment(path: string, { out, files }: ExportJob): Promise<Exported> {
  await files.write(
    out,
    (await reportsOf(path)).map(report => renderMarkdown(report)),
  );
  return { leftOut: LEFT_OUT };
}

/** The verdict with its evidence; then all that was recorded. Where there is too little for a verdict, its refusal says so. */
async function reportsOf(path: string): Promise<Report[]> {
  const described = (await describeRun(path)).report();
  const recorded = described.flatMap(block =>
    block.type === 'verdict' ? [heading('Recorded'), paragraph(block.text)] : [block],
  );
  return [await verdictOf(path), recorded];
}

const TOO_LITTLE: ReadonlySet<ErrorCode> = new Set(['VENTURI_RUN_EMPTY', 'VENTURI_RUN_TOO_SHORT']);

async function verdictOf(path: string): Promise<Report> {
  try {
    return (await judgeRuns(path)).report();
  } catch (error) {
    if (!(error instanceof VenturiError && TOO_LITTLE.has(error.code))) throw error;
    return [
      { type: 'verdict', text: error.message, fix: error.remedy },
      paragraph('What was recorded follows.', 'muted'),
    ];
  }
}
