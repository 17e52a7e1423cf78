import type { Command } from 'commander';
import { plainText } from '../../report/plain-text.ts';
import type { RunRequest } from '../../workflow/index.ts';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { userFrames } from '../failure.ts';
import { parseWhole } from '../quantities.ts';
import { type PlanFlags, withPlanOptions } from '../run-options.ts';

interface BatchesFlags extends PlanFlags, Pick<RunRequest, 'seed' | 'record' | 'inline'> {
  readonly socket: string;
}

export function addBatchesVerb(program: Command, context: Context, finish: (code: number) => void): void {
  const verb = program
    .command('batches')
    .summary('hand the batches of a pipeline to a Python program, which starts this')
    .description(
      'Runs a pipeline for the Python program that started this verb by `venturi.batches("pipeline.ts")`, and hands its ' +
        'batches over as tensors in shared memory. What fails is told to that program.',
    )
    .argument('<pipeline>', 'the file with the pipeline')
    .requiredOption('--socket <path>', 'where the Python program waits')
    .option('--record <folder>', 'record the run into this folder')
    .option('--inline', 'everything on one thread')
    .option('--seed <n>', 'seed of all random numbers', text => parseWhole('--seed', text, 0));
  withPlanOptions(verb).action(async (pipeline: string, { set, param, ...flags }: BatchesFlags) => {
    const { serveBatches } = await import('../../workflow/batches/serve-batches.ts');
    finish(
      await withLongWork(context, false, async ({ progress, interruption }) => {
        const isFine = await serveBatches({
          ...flags,
          pipeline,
          set: set ?? [],
          params: param ?? [],
          signal: interruption.signal,
          framesOf: error => userFrames(error),
          onWarning: ({ message }) => progress.say(`warning: ${plainText(message)}`),
        });
        return interruption.exitCode ?? (isFine ? EXIT.fine : EXIT.programFailed);
      }),
    );
  });
}
