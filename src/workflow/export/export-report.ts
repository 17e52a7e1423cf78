import { type ErrorCode, VenturiError } from '../../model/errors.ts';
import { heading, paragraph } from '../../report/blocks.ts';
import { htmlPage } from '../../report/html/page.ts';
import { renderMarkdown } from '../../report/markdown.ts';
import { fileName } from '../../report/paths.ts';
import type { Report } from '../../report/tree.ts';
import { openRun } from '../../store/run-reader.ts';
import { describeRun } from '../info.ts';
import { withRedactedCopy } from '../redacted-copy.ts';
import { readerOf } from '../targets/registry.ts';
import { judgeRuns } from '../verbs.ts';
import { VERSION } from '../version.ts';
import type { Exported, Exporter, ExportJob } from './exporter.ts';

const LEFT_OUT = ['spans and counters one by one: --to csv, parquet or perfetto has them'];

/** What the verdict and the tables of a run say, as a page without scripts. */
export const htmlExporter: Exporter = {
  run: ({ folder }, job) => page(folder, job),
  steps: ({ heading: { folder } }, job) => page(folder, job),
  takes: ['full'],
};

/** The same for a pull request. */
export const markdownExporter: Exporter = {
  run: ({ folder }, job) => comment(folder, job),
  steps: ({ heading: { folder } }, job) => comment(folder, job),
  takes: ['full'],
};

async function page(path: string, job: ExportJob): Promise<Exported> {
  const { title, reports } = await toldOf(path, job);
  const notes = [
    `Written by venturi ${VERSION}. It holds names of operators, figures and the name of the machine's processor; no element of the data. ` +
      `${HOLDS[job.full === true ? 'full' : 'redacted']} It runs no script and loads nothing.`,
    `Left out: ${leftOut(job).join('; ')}.`,
  ];
  await job.files.write(job.out, [htmlPage({ title, reports, notes })]);
  return { leftOut: leftOut(job) };
}

const HOLDS = {
  full: 'Paths and arguments stand in it as they were recorded.',
  redacted: 'Paths, arguments and names of machines were left out.',
} as const;

const leftOut = ({ full }: ExportJob): string[] =>
  full === true ? LEFT_OUT : [...LEFT_OUT, 'paths, arguments and names of machines: --full keeps them'];

async function comment(path: string, job: ExportJob): Promise<Exported> {
  const { reports } = await toldOf(path, job);
  await job.files.write(
    job.out,
    reports.map(report => renderMarkdown(report)),
  );
  return { leftOut: leftOut(job) };
}

interface Told {
  readonly title: string;
  readonly reports: readonly Report[];
}

const toldOf = (path: string, { full }: ExportJob): Promise<Told> =>
  full === true ? told(path) : withRedactedCopy(path, told);

const told = async (path: string): Promise<Told> => ({
  // The folder of a copy says nothing.
  title: readerOf([path]) === undefined ? openRun(path).manifest.name : fileName(path),
  reports: await reportsOf(path),
});

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
