import type { Command } from 'commander';
import { bytes, bytesPerSecond, cores, NS_PER_SECOND, ns } from '../../model/units.ts';
import type { Answer, Attendant, ClusterOptions, ForecastRequest } from '../../workflow/index.ts';
import { attended } from '../attended.ts';
import type { Context } from '../context.ts';
import { parseDisk } from '../disk-option.ts';
import { EXIT } from '../exit-codes.ts';
import { parseBandwidth, parseCores, parseDuration, parseSize, parseWhole } from '../quantities.ts';
import { formatOption, type ReportFormat } from '../report-format.ts';
import { printAnswer } from '../terminal.ts';
import { addClusterOptions, clusterOptions } from './cluster-options.ts';
import { explainingSources } from './source-file.ts';

interface PredictFlags extends Omit<ForecastRequest, 'cores' | 'memory' | 'network' | 'step' | 'cluster'> {
  readonly cores?: number;
  readonly memory?: number;
  readonly network?: number;
  /** Seconds. */
  readonly step?: number;
  readonly format?: ReportFormat;
  readonly json?: boolean;
}

export function addPredictVerb(program: Command, context: Context, finish: (code: number) => void): void {
  const command = program
    .command('predict')
    .summary('say how fast a recorded pipeline could be, here and elsewhere')
    .description(
      'Says the most that a recorded pipeline could deliver with as many lanes as it needs, what would limit it then, and ' +
        'the gain per unit of it; of a program with DataLoaders, what they would deliver at other numbers of workers; of a ' +
        "trace of one worker's training steps, what clusters would come to. " +
        'What is not asked for is as it was recorded.',
    )
    .argument('<run>', 'the folder NAME.venturi of a recording, or a trace of training steps that a profiler wrote')
    .option('--cores <n>', 'on so many cores', parseCores)
    .option('--memory <size>', 'with so much memory to keep elements in: 64GB', text => parseSize('--memory', text))
    .option(
      '--disk <bandwidth>',
      'with storage that delivers this: 500MB/s, or what `venturi doctor --disk` wrote',
      parseDisk,
    )
    .option('--network <bandwidth>', 'with a network that delivers this: 100MB/s', text =>
      parseBandwidth('--network', text),
    )
    .option('--step <time>', 'for a consumer that takes so long for an element, or a batch of a loader: 30ms', text =>
      parseDuration('--step', text),
    )
    .option('--root <operator>', 'count the elements of this operator, instead of all that come to an end')
    .option('--plan <file>', 'forecast a plan of `venturi tune`, instead of the lanes that the ceiling needs')
    .option('--workers <n,…>', 'DataLoaders: at these numbers of workers', parseWorkers)
    .option('--prefetch <n>', 'DataLoaders: with this prefetch_factor', text => parseWhole('--prefetch', text, 1))
    .option(
      '--batch-size <n>',
      'DataLoaders: with batches of this size; training steps: examples of a recorded step',
      text => parseWhole('--batch-size', text, 1),
    )
    .option('--epochs <n>', 'DataLoaders: for a program that makes so many passes; else as many as recorded', text =>
      parseWhole('--epochs', text, 1),
    )
    .option('--loader <name>', 'DataLoaders: this one, where a program has several')
    .option(
      '--recording <run>',
      'training steps: a recording of the same job, which tells how its batches are prepared',
    )
    .option('--step-marker <name>', 'training steps: annotation that marks a step, where it is not ProfilerStep');
  addClusterOptions(command)
    .addOption(formatOption())
    .option('--json', 'print it as JSON')
    .action(async (run: string, { json, format, ...flags }: PredictFlags & ClusterOptions) => {
      const { forecastRun } = await import('../../workflow/index.ts');
      const { cluster, others } = clusterOptions(flags);
      const request = { ...requestOf(others), cluster };
      const forecast = (attendant?: Attendant): Promise<Answer> =>
        explainingSources(run, 'predict', () => forecastRun(run, request, attendant));
      finish(
        await attended(context, json === true, forecast, answer => {
          printAnswer(answer, json, context.terminal, format);
          return EXIT.fine;
        }),
      );
    });
}

const requestOf = (flags: PredictFlags): ForecastRequest => ({
  ...flags,
  cores: flags.cores === undefined ? undefined : cores(flags.cores),
  memory: flags.memory === undefined ? undefined : bytes(flags.memory),
  network: flags.network === undefined ? undefined : bytesPerSecond(flags.network),
  step: flags.step === undefined ? undefined : ns(flags.step * NS_PER_SECOND),
});

/** `2`, or `1,2,4,8`. */
const parseWorkers = (text: string): number[] => text.split(',').map(part => parseWhole('--workers', part, 0));
