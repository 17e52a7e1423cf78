import type { Command } from 'commander';
import type { compareAll } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printAnswer } from '../terminal.ts';

interface CompareFlags {
  readonly root?: string;
  readonly json?: boolean;
}

export function addCompareVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('compare')
    .summary('compare recorded runs, or plans')
    .description(
      'Compares runs with the first of them: what got faster, what slower, and whether it is noise. Recordings of a PyTorch ' +
        'program are laid side by side, with what each operator took; and so are plans of `venturi tune`.',
    )
    .argument('<runs...>', 'the folders NAME.venturi of two recordings or more, or the files of two plans or more')
    .option('--root <operator>', 'count the elements of this operator, instead of all that come to an end')
    .option('--json', 'print it as JSON')
    .action(async (runs: string[], flags: CompareFlags) => {
      finish(await compareVerb(runs, flags, context, await import('../../workflow/index.ts')));
    });
}

export async function compareVerb(
  runs: readonly string[],
  { json, ...options }: CompareFlags,
  { terminal }: Context,
  workflow: { readonly compareAll: typeof compareAll },
): Promise<number> {
  printAnswer(await workflow.compareAll(runs, options), json, terminal);
  return EXIT.fine;
}
