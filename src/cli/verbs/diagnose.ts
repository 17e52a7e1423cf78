import type { Command } from 'commander';
import type { DiskCurve } from '../../model/disk.ts';
import type { Context } from '../context.ts';
import { parseDisk } from '../disk-option.ts';
import { EXIT } from '../exit-codes.ts';
import { parseWhole } from '../quantities.ts';
import { formatOption, type ReportFormat } from '../report-format.ts';
import { printAnswer } from '../terminal.ts';
import { explainingSources } from './source-file.ts';

interface DiagnoseFlags {
  readonly disk?: DiskCurve;
  readonly root?: string;
  /** Of a program with DataLoaders. */
  readonly epochs?: number;
  /** Of a trace of training steps. */
  readonly stepMarker?: string;
  readonly format?: ReportFormat;
  readonly json?: boolean;
}

export function addDiagnoseVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('diagnose')
    .summary('say what limits a recorded run, and what to change')
    .description(
      'Says what limits a recorded run, whether a resource is saturated or left unused, and what to change. ' +
        'A folder with many recordings gives a table of all of them. Takes traces of training steps, too: of one rank, or a folder with those of all.',
    )
    .argument(
      '<run>',
      'the folder NAME.venturi of a recording, a folder with many of them, or a trace that a profiler wrote',
    )
    .option('--disk <bandwidth>', 'what storage delivers: 500MB/s, or what `venturi doctor --disk` wrote', parseDisk)
    .option('--root <operator>', 'count the elements of this operator, instead of all that come to an end')
    .option('--epochs <n>', 'DataLoaders: for a program that makes so many passes; else as many as recorded', text =>
      parseWhole('--epochs', text, 1),
    )
    .option('--step-marker <name>', 'traces: annotation that marks a step, where it is not ProfilerStep')
    .addOption(formatOption())
    .option('--json', 'print it as JSON')
    .action(async (run: string, { json, format, ...options }: DiagnoseFlags) => {
      const { judgeRuns } = await import('../../workflow/index.ts');
      printAnswer(
        await explainingSources(run, 'diagnose', () => judgeRuns(run, options)),
        json,
        context.terminal,
        format,
      );
      finish(EXIT.fine);
    });
}
