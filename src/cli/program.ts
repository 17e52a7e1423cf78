import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { VenturiError } from '../model/errors.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { printFailure } from './failure.ts';
import { FIRST_STEPS } from './first-steps.ts';
import { printReport } from './terminal.ts';
import { addCompareVerb } from './verbs/compare.ts';
import { addDemoVerb } from './verbs/demo.ts';
import { addDiagnoseVerb } from './verbs/diagnose.ts';
import { addDoctorVerb } from './verbs/doctor.ts';
import { addInfoVerb } from './verbs/info.ts';
import { addPredictVerb } from './verbs/predict.ts';
import { addRecordVerb } from './verbs/record.ts';
import { addRunVerb } from './verbs/run.ts';
import { addTuneVerb } from './verbs/tune.ts';

/** Does what the arguments ask for and returns the exit code. */
export async function runProgram(args: readonly string[], context: Context): Promise<number> {
  const { terminal } = context;
  if (args.length === 0) {
    printReport(FIRST_STEPS, terminal.out, terminal.charset);
    return EXIT.fine;
  }
  let code: number = EXIT.fine;
  const program = createProgram(context, result => {
    code = result;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.fine;
    const failure = error instanceof CommanderError ? usageError(error, program) : error;
    const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
    return printFailure(failure, terminal, own.includes('--json'));
  }
}

/** In the order in which help lists them. */
const VERBS = [
  addRunVerb,
  addRecordVerb,
  addDiagnoseVerb,
  addPredictVerb,
  addTuneVerb,
  addCompareVerb,
  addInfoVerb,
  addDoctorVerb,
  addDemoVerb,
] as const;

function createProgram(context: Context, finish: (code: number) => void): Command {
  const { out, err } = context.terminal;
  const program = new Command('venturi')
    .description('Finds the narrow place in a dataflow pipeline.')
    .version(version(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .exitOverride()
    // Its errors come back as exceptions and are printed like all others.
    .configureOutput({
      writeOut: text => out.write(text),
      writeErr: text => err.write(text),
      outputError: () => {},
      getOutHelpWidth: () => out.width(),
      getErrHelpWidth: () => err.width(),
    });
  for (const add of VERBS) add(program, context, finish);
  return program;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

/** The parser's complaint in our words: what is wrong, then what to do. */
function usageError(error: CommanderError, program: Command): VenturiError {
  const [complaint = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const verbs = program.commands.map(command => command.name()).join(', ');
  const isVerb = error.code === 'commander.unknownCommand';
  const guess = suggestion === undefined ? '' : `${suggestion.replace(/^\((.*)\)$/, '$1')} `;
  return new VenturiError('VENTURI_USAGE', complaint, {
    remedy: guess + (isVerb ? `The verbs are ${verbs}.` : 'See venturi help, or venturi help VERB.'),
    cause: error,
  });
}
