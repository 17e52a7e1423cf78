import type { Command } from 'commander';
import type { describeRun } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { formatOption, type ReportFormat } from '../report-format.ts';
import { printAnswer } from '../terminal.ts';
import { explainingSources } from './source-file.ts';

interface InfoFlags {
  readonly format?: ReportFormat;
  readonly json?: boolean;
  readonly flat?: boolean;
  /** Of a trace of training steps. */
  readonly stepMarker?: string;
}

export function addInfoVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('info')
    .summary('show a recorded run')
    .description(
      'Shows what was recorded: operators, lanes, channels and totals. Of a trace of training steps: what steps wait for, kernels and the critical path.',
    )
    .argument('<run>', 'the folder NAME.venturi of a recording, or a trace that a profiler wrote')
    .addOption(formatOption())
    .option('--json', 'print it as JSON')
    .option('--step-marker <name>', 'traces: annotation that marks a step, where it is not ProfilerStep')
    .option('--flat', 'print it as one JSON object of names and numbers, for a tracker of experiments')
    .action(async (run: string, flags: InfoFlags) => {
      finish(await infoVerb(run, flags, context, await import('../../workflow/index.ts')));
    });
}

export async function infoVerb(
  run: string,
  flags: InfoFlags,
  context: Context,
  workflow: { readonly describeRun: typeof describeRun },
): Promise<number> {
  const { stepMarker } = flags;
  const { result, report, flat } = await explainingSources(run, 'info', () =>
    workflow.describeRun(run, { stepMarker }),
  );
  printAnswer(
    { result: flags.flat === true ? flat() : result, report },
    flags.json || flags.flat,
    context.terminal,
    flags.format,
  );
  return EXIT.fine;
}
