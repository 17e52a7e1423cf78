import type { Command } from 'commander';
import type { DiskCurve } from '../../model/disk.ts';
import { bytes, bytesPerSecond, cores, NS_PER_SECOND, ns } from '../../model/units.ts';
import type { predict } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseBandwidth, parseCores, parseDisk, parseDuration, parseSize } from '../quantities.ts';
import { printJson, printReport } from '../terminal.ts';
import { predictionReport } from '../views/prediction.ts';
import { explainingSources } from './source-file.ts';

interface PredictFlags {
  readonly cores?: number;
  readonly memory?: number;
  readonly disk?: DiskCurve;
  readonly network?: number;
  /** Seconds. */
  readonly step?: number;
  readonly root?: string;
  readonly json?: boolean;
}

export function addPredictVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('predict')
    .summary('say how fast a recorded pipeline could be, here and elsewhere')
    .description(
      'Says the most that a recorded pipeline could deliver with as many lanes as it needs, what would limit it then, and ' +
        'what more of that would bring. What is not asked for is as it was recorded.',
    )
    .argument('<run>', 'the folder NAME.venturi of a recording')
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
    .option('--step <time>', 'for a consumer that takes so long for an element: 30ms', text =>
      parseDuration('--step', text),
    )
    .option('--root <operator>', 'count the output of this operator, where a graph has several ends')
    .option('--json', 'print it as JSON')
    .action(async (run: string, flags: PredictFlags) => {
      finish(await predictVerb(run, flags, context, await import('../../workflow/index.ts')));
    });
}

export async function predictVerb(
  run: string,
  flags: PredictFlags,
  context: Context,
  workflow: { readonly predict: typeof predict },
): Promise<number> {
  const { out, charset } = context.terminal;
  const prediction = await explainingSources(run, 'predict', () =>
    workflow.predict(run, {
      cores: flags.cores === undefined ? undefined : cores(flags.cores),
      memory: flags.memory === undefined ? undefined : bytes(flags.memory),
      disk: flags.disk,
      network: flags.network === undefined ? undefined : bytesPerSecond(flags.network),
      step: flags.step === undefined ? undefined : ns(flags.step * NS_PER_SECOND),
      root: flags.root,
    }),
  );
  if (flags.json === true) printJson(prediction, out);
  else printReport(predictionReport(prediction), out, charset);
  return EXIT.fine;
}
