import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { formatOption, type ReportFormat } from '../report-format.ts';
import { printAnswer } from '../terminal.ts';

interface CompareFlags {
  readonly root?: string;
  /** Of traces of training steps. */
  readonly stepMarker?: string;
  readonly format?: ReportFormat;
  readonly json?: boolean;
}

export function addCompareVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('compare')
    .summary('compare recorded runs, or plans')
    .description(
      'Compares runs with the first of them: what got faster, what slower, and whether it is noise. Recordings of a PyTorch ' +
        'program are laid side by side, with what each operator took; and so are traces of training steps, and plans of `venturi tune`.',
    )
    .argument(
      '<runs...>',
      'the folders NAME.venturi of two recordings or more, or the files of two traces or plans or more',
    )
    .option('--root <operator>', 'count the elements of this operator, instead of all that come to an end')
    .option('--step-marker <name>', 'traces: annotation that marks a step, where it is not ProfilerStep')
    .addOption(formatOption())
    .option('--json', 'print it as JSON')
    .action(async (runs: string[], { json, format, ...options }: CompareFlags) => {
      const { compareAll } = await import('../../workflow/index.ts');
      printAnswer(await compareAll(runs, options), json, context.terminal, format);
      finish(EXIT.fine);
    });
}
