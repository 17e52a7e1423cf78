import type { Command } from 'commander';
import { changesText } from '../../report/findings/loader-changes.ts';
import { plainText } from '../../report/plain-text.ts';
import type { tuneProgram } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseWhole } from '../quantities.ts';
import { printJson, printReport } from '../terminal.ts';
import { programTuningReport } from '../views/program-tuning.ts';
import { SignalPassing } from './record.ts';

export interface TuneProgramFlags {
  readonly batches?: number;
  readonly rounds?: number;
  readonly record?: string;
  readonly loader?: string;
  readonly json?: boolean;
}

export function addTuneVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('tune')
    .summary('set the DataLoaders of a program better: record it, forecast, try')
    .description(
      'Runs a program that uses PyTorch for some batches, forecasts how its DataLoader is best set, runs it again set so, ' +
        'without an edit, and says how forecast and measurement compare. The program runs for real, twice or more.',
    )
    .usage('[options] -- COMMAND [ARGUMENTS...]')
    .argument('<command...>', 'the program and its arguments, behind two dashes')
    .option('--batches <n>', 'batches of each run, which ends after them (200)', text =>
      parseWhole('--batches', text, 20),
    )
    .option('--rounds <n>', 'run it so often with and without the changes, in turn (1)', text =>
      parseWhole('--rounds', text, 1),
    )
    .option('--record <name>', 'keep the recordings: NAME-before, NAME-after')
    .option('--loader <name>', 'tune this loader; else the one that is waited for most')
    .option('--json', 'print the result as JSON; what the program prints goes to standard error')
    .action(async (command: readonly string[], flags: TuneProgramFlags) => {
      finish(await tuneProgramVerb(command, flags, context, await import('../../workflow/index.ts')));
    });
}

export async function tuneProgramVerb(
  command: readonly string[],
  flags: TuneProgramFlags,
  context: Context,
  workflow: { readonly tuneProgram: typeof tuneProgram },
): Promise<number> {
  const { out, err, charset } = context.terminal;
  const say = (line: string): void => err.write(`${plainText(line)}\n`);
  const passing = new SignalPassing(context);
  try {
    const result = await workflow.tuneProgram({
      command,
      batches: flags.batches,
      rounds: flags.rounds,
      record: flags.record,
      loader: flags.loader,
      // What the program prints is talk here: the result is the report.
      outputToError: true,
      onStart: ({ kill }) => passing.to(kill),
      onPhase: (phase, round, changes) =>
        say(`round ${round}: running it ${phase === 'before' ? 'as it is' : `with ${changesText(changes)}`}`),
    });
    for (const line of result.warnings) say(`${err.colour('warn', 'warning:')} ${line}`);
    if (flags.json === true) printJson(result, out);
    else printReport(programTuningReport(result), out, charset);
    return EXIT.fine;
  } finally {
    passing.close();
  }
}
