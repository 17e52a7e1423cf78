import type { Command } from 'commander';
import { samplesReport } from '../../report/views/run-samples.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseDuration, parseWhole } from '../quantities.ts';
import { printAnswer } from '../terminal.ts';

interface SamplesFlags {
  readonly from?: number;
  readonly to?: number;
  readonly top: number;
  readonly import?: string;
  readonly json?: boolean;
}

export function addSamplesVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('samples')
    .summary("show which operators a profiler's samples fall into")
    .description(
      'Gives each sample to the operator that was at work in its thread at its time, and shows the native functions ' +
        'behind every operator. For runs recorded with --perf, or with samples from a file; of those recorded with --stacks, ' +
        'the lines of Python.',
    )
    .argument('<run>', 'the folder NAME.venturi of a recording')
    .option('--from <time>', 'count samples from this moment of the run on: 2s', text => parseDuration('--from', text))
    .option('--to <time>', 'count samples up to this moment', text => parseDuration('--to', text))
    .option('--top <n>', 'native functions shown for each operator', text => parseWhole('--top', text, 0), 5)
    .option('--import <file>', 'samples from elsewhere: perf script, py-spy (raw, speedscope) or a .cpuprofile')
    .option('--json', 'print it as JSON')
    .action(async (run: string, { json, top, import: file, ...times }: SamplesFlags) => {
      const { runSamples } = await import('../../workflow/index.ts');
      const result = await runSamples(run, { ...times, file });
      printAnswer({ result, report: () => samplesReport(result, top) }, json, context.terminal);
      finish(EXIT.fine);
    });
}
