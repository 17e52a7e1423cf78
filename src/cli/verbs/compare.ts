import type { Command } from 'commander';
import { comparisonReport } from '../../report/views/comparison.ts';
import { loaderSeriesReport } from '../../report/views/loader-series.ts';
import { planComparisonReport } from '../../report/views/plan-comparison.ts';
import type { compareLoaders, comparePlans, compareRuns, isLoaderSeries } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, printReport } from '../terminal.ts';

interface CompareFlags {
  readonly root?: string;
  readonly json?: boolean;
}

interface CompareWorkflow {
  readonly compareRuns: typeof compareRuns;
  readonly comparePlans: typeof comparePlans;
  readonly compareLoaders: typeof compareLoaders;
  readonly isLoaderSeries: typeof isLoaderSeries;
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
  flags: CompareFlags,
  context: Context,
  workflow: CompareWorkflow,
): Promise<number> {
  const { out, charset } = context.terminal;
  if (runs.every(path => path.endsWith('.json'))) {
    const plans = workflow.comparePlans(runs);
    if (flags.json === true) printJson(plans, out);
    else printReport(planComparisonReport(plans), out, charset);
    return EXIT.fine;
  }
  if (workflow.isLoaderSeries(runs)) {
    const series = await workflow.compareLoaders(runs);
    if (flags.json === true) printJson(series, out);
    else printReport(loaderSeriesReport(series), out, charset);
    return EXIT.fine;
  }
  const comparison = await workflow.compareRuns(runs, { root: flags.root });
  if (flags.json === true) printJson(comparison, out);
  else printReport(comparisonReport(comparison), out, charset);
  return EXIT.fine;
}
