import type { Command } from 'commander';
import { VenturiError } from '../../model/errors.ts';
import type { runInfo } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, printReport } from '../terminal.ts';
import { runInfoReport } from '../views/run-info.ts';

interface InfoFlags {
  readonly json?: boolean;
}

export function addInfoVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('info')
    .summary('show a recorded run')
    .description('Shows what was recorded: operators, lanes, channels and totals.')
    .argument('<run>', 'the folder NAME.venturi of a recording')
    .option('--json', 'print it as JSON')
    .action(async (run: string, flags: InfoFlags) => {
      finish(await infoVerb(run, flags, context, await import('../../workflow/index.ts')));
    });
}

export async function infoVerb(
  run: string,
  flags: InfoFlags,
  context: Context,
  workflow: { readonly runInfo: typeof runInfo },
): Promise<number> {
  const { out, charset } = context.terminal;
  const info = await workflow.runInfo(run).catch((error: unknown) => {
    throw isSourceFile(run) ? pipelineMistaken(run, error) : error;
  });
  if (flags.json === true) printJson(info, out);
  else printReport(runInfoReport(info), out, charset);
  return EXIT.fine;
}

const isSourceFile = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path);

/** A pipeline was given where a recording of it belongs: say how to get the one from the other. */
function pipelineMistaken(path: string, error: unknown): unknown {
  if (!(error instanceof VenturiError) || error.code !== 'VENTURI_RUN_UNREADABLE') return error;
  return new VenturiError(error.code, `${path} is a source file, not a recorded run.`, {
    remedy: `Record a run of it first: venturi run ${path} --record first, then venturi info first.`,
    cause: error,
  });
}
