import { changesText } from '../../report/findings/loader-changes.ts';
import { plainText } from '../../report/plain-text.ts';
import { programTuningReport } from '../../report/views/program-tuning.ts';
import type { tuneProgram } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, printReport } from '../terminal.ts';
import { SignalPassing } from './record.ts';

export interface TuneProgramFlags {
  readonly batches?: number;
  readonly rounds?: number;
  readonly epochs?: number;
  readonly record?: string;
  readonly loader?: string;
  readonly json?: boolean;
}

/** The DataLoaders of a program: it runs for real, set as it is and set better. */
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
      epochs: flags.epochs,
      record: flags.record,
      loader: flags.loader,
      // What the program prints is talk here: the result is the report.
      outputToError: true,
      onStart: ({ kill }) => passing.to(kill),
      onPhase: (phase, changes) =>
        say(`running it ${phase === 'before' ? 'as it is' : `with ${changesText(changes)}`}`),
    });
    for (const { message } of result.warnings) say(`${err.colour('warn', 'warning:')} ${message}`);
    if (flags.json === true) printJson(result, out);
    else printReport(programTuningReport(result, process.cwd()), out, charset);
    return EXIT.fine;
  } finally {
    passing.close();
  }
}
