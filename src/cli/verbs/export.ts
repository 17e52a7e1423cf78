import { type Command, Option } from 'commander';
import { EXPORT_FORMATS, type ExportFormat } from '../../report/export-formats.ts';
import { plainText } from '../../report/plain-text.ts';
import type { ExportResult } from '../../workflow/index.ts';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../terminal.ts';
import { explainingSources } from './source-file.ts';

interface ExportFlags {
  readonly to: ExportFormat;
  readonly out?: string;
  readonly fine?: boolean;
  readonly full?: boolean;
  readonly merge?: string;
  readonly table?: string;
  readonly stepMarker?: string;
  readonly json?: boolean;
}

/** What opens a file of each format. */
const OPENED: Readonly<Record<ExportFormat, string>> = {
  csv: 'open it in any spreadsheet',
  parquet: 'read it with DuckDB, pandas or Polars',
  prometheus: "for node_exporter's textfile collector, or a pushgateway",
  otlp: "a request per line: for the otlpjsonfile receiver of OpenTelemetry's collector",
  markdown: 'for a pull request or a document',
  html: 'open it in any browser; it runs no script',
  perfetto: 'open it at https://ui.perfetto.dev',
  chrome: 'open it at https://ui.perfetto.dev or chrome://tracing',
  cpuprofile: 'a file per lane: open them in DevTools, VS Code or https://www.speedscope.app',
  speedscope: 'open it at https://www.speedscope.app',
  pprof: 'open it with: go tool pprof -http=:',
  collapsed: 'make a flame graph of it with flamegraph.pl or inferno',
};

export function addExportVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('export')
    .summary('write a recorded run in a format that other programs read')
    .description(
      'Writes a recorded run as a trace for Perfetto and chrome://tracing, all its tables as files of CSV or Parquet, its spans and figures ' +
        'for OpenTelemetry and Prometheus, or its verdict and tables as Markdown or a page without scripts; and the profile of one that `venturi profile` made for DevTools, speedscope, pprof and flame ' +
        'graphs. Says what each leaves out. Nothing appears before all of it is written.',
    )
    .argument('<run>', 'the folder NAME.venturi of a recording, or a trace of training steps that a profiler wrote')
    .addOption(new Option('--to <format>', 'the format').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--out <path>', 'the file, or the folder of tables and .cpuprofile files; else it is named after the run')
    .option('--fine', 'a trace with the operators on every element, not only batches')
    .option('--full', 'html and markdown: with paths and arguments as they were recorded')
    .option('--table <name>', 'csv and parquet: this table alone')
    .option('--merge <trace>', 'put it into this trace of the PyTorch profiler, on the same clock')
    .option(
      '--step-marker <name>',
      'traces of training steps: annotation that marks a step, where it is not ProfilerStep',
    )
    .option('--json', 'print what was written as JSON')
    .action(async (run: string, { json, ...request }: ExportFlags) => {
      const { exportRun } = await import('../../workflow/index.ts');
      finish(
        await withLongWork(context, json === true, async ({ progress, interruption }) => {
          const result = await explainingSources(run, 'export', () => exportRun(run, request, interruption.signal));
          progress.close();
          tell(result, json, context);
          return EXIT.fine;
        }),
      );
    });
}

function tell(result: ExportResult, json: boolean | undefined, { terminal: { out, err } }: Context): void {
  for (const { message } of result.warnings) err.write(`${err.colour('warn', 'warning:')} ${plainText(message)}\n`);
  if (json === true) {
    printJson(result, out);
    return;
  }
  const isTables = result.files.length > 0 && result.to !== 'cpuprofile';
  if (isTables) err.write(`${result.files.length} tables in ${plainText(result.out)}\n`);
  else err.write(`written to ${plainText(result.out)}; ${OPENED[result.to]}\n`);
  for (const words of result.leftOut) err.write(`${err.colour('muted', `left out: ${words}`)}\n`);
}
