import type { Command } from 'commander';
import { plainText } from '../../report/plain-text.ts';
import { demoReport } from '../../report/views/demo.ts';
import type { demo } from '../../workflow/index.ts';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseDuration, parseWhole } from '../quantities.ts';
import { printAnswer } from '../terminal.ts';

interface DemoFlags {
  readonly folder?: string;
  readonly images?: number;
  readonly for?: number;
  readonly json?: boolean;
}

export function addDemoVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('demo')
    .summary('make some images, run a pipeline over them, find what limits it, make it faster')
    .description(
      'Makes images, records a pipeline that reads, decodes and batches them, says what limits it, tunes it, and shows what ' +
        'that gained.',
    )
    .option('--folder <folder>', 'where images, recordings and the plan go')
    .option('--images <n>', 'how many images to make', text => parseWhole('--images', text, 1))
    .option('--for <time>', 'length of each recording: 5s', text => parseDuration('--for', text))
    .option('--json', 'print the result as JSON')
    .action(async (flags: DemoFlags) => {
      finish(await demoVerb(flags, context, await import('../../workflow/index.ts')));
    });
}

export function demoVerb(
  flags: DemoFlags,
  context: Context,
  workflow: { readonly demo: typeof demo },
): Promise<number> {
  const { err } = context.terminal;
  return withLongWork(context, flags.json === true, async ({ progress, interruption }) => {
    const result = await workflow.demo({
      ...(flags.for === undefined ? {} : { seconds: flags.for }),
      ...(flags.folder === undefined ? {} : { folder: flags.folder }),
      ...(flags.images === undefined ? {} : { images: flags.images }),
      signal: interruption.signal,
      onProgress: live => progress.update(live),
      onStep: line => progress.say(err.colour('muted', plainText(line))),
    });
    progress.close();
    printAnswer({ result, report: () => demoReport(result) }, flags.json, context.terminal);
    return interruption.exitCode ?? EXIT.fine;
  });
}
