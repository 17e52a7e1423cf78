import type { Command } from 'commander';
import type { comparePlans, compareRuns } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, printReport } from '../terminal.ts';
import { comparisonReport } from '../views/comparison.ts';
import { planComparisonReport } from '../views/plan-comparison.ts';

interface CompareFlags {
  readonly json?: boolean;
}

export function addCompareVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('compare')
    .summary('compare recorded runs, or plans')
    .description(
      'Compares runs with the first of them: what got faster, what slower, and whether it is noise. Plans of `venturi tune` are put side by side.',
    )
    .argument('<runs...>', 'the folders NAME.venturi of two recordings or more, or the files of two plans or more')
    .option('--json', 'print it as JSON')
    .action(async (runs: string[], flags: CompareFlags) => {
      finish(await compareVerb(runs, flags, context, await import('../../workflow/index.ts')));
    });
}

export async function compareVerb(
  runs: readonly string[],
  flags: CompareFlags,
  context: Context,
  workflow: { readonly compareRuns: typeof compareRuns; readonly comparePlans: typeof comparePlans },
): Promise<number> {
  const { out, charset } = context.terminal;
  if (runs.every(path => path.endsWith('.json'))) {
    const plans = workflow.comparePlans(runs);
    if (flags.json === true) printJson(plans, out);
    else printReport(planComparisonReport(plans), out, charset);
    return EXIT.fine;
  }
  const comparison = await workflow.compareRuns(runs);
  if (flags.json === true) printJson(comparison, out);
  else printReport(comparisonReport(comparison), out, charset);
  return EXIT.fine;
}
