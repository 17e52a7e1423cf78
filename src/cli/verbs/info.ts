import type { Command } from 'commander';
import { runInfoReport } from '../../report/views/run-info.ts';
import type { flatSummary, runInfo } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printAnswer } from '../terminal.ts';
import { explainingSources } from './source-file.ts';

interface InfoFlags {
  readonly json?: boolean;
  readonly flat?: boolean;
}

export function addInfoVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('info')
    .summary('show a recorded run')
    .description('Shows what was recorded: operators, lanes, channels and totals.')
    .argument('<run>', 'the folder NAME.venturi of a recording')
    .option('--json', 'print it as JSON')
    .option('--flat', 'print it as one JSON object of names and numbers, for a tracker of experiments')
    .action(async (run: string, flags: InfoFlags) => {
      finish(await infoVerb(run, flags, context, await import('../../workflow/index.ts')));
    });
}

export async function infoVerb(
  run: string,
  flags: InfoFlags,
  context: Context,
  workflow: { readonly runInfo: typeof runInfo; readonly flatSummary: typeof flatSummary },
): Promise<number> {
  const info = await explainingSources(run, 'info', () => workflow.runInfo(run));
  const result = flags.flat === true ? workflow.flatSummary(info) : info;
  printAnswer({ result, report: () => runInfoReport(info) }, flags.json || flags.flat, context.terminal);
  return EXIT.fine;
}
