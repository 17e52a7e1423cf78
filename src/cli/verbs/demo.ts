import type { Command } from 'commander';
import { plainText } from '../../report/plain-text.ts';
import type { demo } from '../../workflow/index.ts';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseWhole } from '../quantities.ts';
import { printJson, printReport } from '../terminal.ts';
import { runInfoReport } from '../views/run-info.ts';

interface DemoFlags {
  readonly folder?: string;
  readonly images?: number;
  readonly json?: boolean;
}

export function addDemoVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('demo')
    .summary('make some images, run a pipeline over them, show where its time goes')
    .description('Makes images, runs a pipeline that reads, decodes and batches them, and shows the recorded run.')
    .option('--folder <folder>', 'where images and recording go')
    .option('--images <n>', 'how many images to make', text => parseWhole('--images', text, 1))
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
  const { out, err, charset } = context.terminal;
  return withLongWork(context, flags.json === true, async ({ progress, interruption }) => {
    const { run, info } = await workflow.demo({
      ...(flags.folder === undefined ? {} : { folder: flags.folder }),
      ...(flags.images === undefined ? {} : { images: flags.images }),
      signal: interruption.signal,
      onProgress: live => progress.update(live),
      onWarning: line => progress.say(`${err.colour('warn', 'warning:')} ${plainText(line)}`),
      onStep: line => progress.say(err.colour('muted', plainText(line))),
    });
    progress.close();
    if (flags.json === true) printJson({ schemaVersion: 1, run, info }, out);
    else printReport(runInfoReport(info), out, charset);
    progress.say(`recorded in ${plainText(info.folder)}`);
    return run.status === 'completed' ? EXIT.fine : (interruption.exitCode ?? EXIT.fine);
  });
}
