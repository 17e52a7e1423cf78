import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { VenturiError } from '../model/errors.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { printFailure } from './failure.ts';
import { FIRST_STEPS } from './first-steps.ts';
import { printReport } from './terminal.ts';

/** Runs the verb of the arguments and returns its exit code. */
export async function runProgram(args: readonly string[], context: Context): Promise<number> {
  const { terminal } = context;
  if (args.length === 0) {
    printReport(FIRST_STEPS, terminal.out, terminal.charset);
    return EXIT.fine;
  }
  let code: number = EXIT.fine;
  const program = createProgram(await verbsFor(args), context, result => {
    code = result;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.fine;
    const failure = error instanceof CommanderError ? usageError(error) : error;
    return printFailure(failure, terminal, wantsJson(args));
  }
}

/** Arguments behind two dashes are another program's. */
export const wantsJson = (args: readonly string[]): boolean =>
  args.includes('--json') && !args.slice(0, args.indexOf('--json')).includes('--');

type AddVerb = (program: Command, context: Context, finish: (code: number) => void) => void;

/** Verbs in the order of help. Each module is loaded on demand: loading all takes longer than a short run. */
const VERBS: Readonly<Record<string, () => Promise<AddVerb>>> = {
  run: async () => (await import('./verbs/run.ts')).addRunVerb,
  batches: async () => (await import('./verbs/batches.ts')).addBatchesVerb,
  explain: async () => (await import('./verbs/explain.ts')).addExplainVerb,
  record: async () => (await import('./verbs/record.ts')).addRecordVerb,
  diagnose: async () => (await import('./verbs/diagnose.ts')).addDiagnoseVerb,
  predict: async () => (await import('./verbs/predict.ts')).addPredictVerb,
  tune: async () => (await import('./verbs/tune.ts')).addTuneVerb,
  compare: async () => (await import('./verbs/compare.ts')).addCompareVerb,
  info: async () => (await import('./verbs/info.ts')).addInfoVerb,
  samples: async () => (await import('./verbs/samples.ts')).addSamplesVerb,
  profile: async () => (await import('./verbs/profile.ts')).addProfileVerb,
  map: async () => (await import('./verbs/map.ts')).addMapVerb,
  view: async () => (await import('./verbs/view.ts')).addViewVerb,
  watch: async () => (await import('./verbs/watch.ts')).addWatchVerb,
  export: async () => (await import('./verbs/export.ts')).addExportVerb,
  doctor: async () => (await import('./verbs/doctor.ts')).addDoctorVerb,
  demo: async () => (await import('./verbs/demo.ts')).addDemoVerb,
};

/** The verb that the arguments begin with; all of them where they begin with none, for help and suggestions. */
function verbsFor([first = '']: readonly string[]): Promise<AddVerb[]> {
  const asked = Object.hasOwn(VERBS, first) ? [VERBS[first]] : Object.values(VERBS);
  return Promise.all(asked.flatMap(load => load?.() ?? []));
}

function createProgram(verbs: readonly AddVerb[], context: Context, finish: (code: number) => void): Command {
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
  for (const add of verbs) add(program, context, finish);
  return program;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

/** The parser's error as ours, with a remedy. */
function usageError(error: CommanderError): VenturiError {
  const [complaint = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const verbs = Object.keys(VERBS).join(', ');
  const isVerb = error.code === 'commander.unknownCommand';
  const guess = suggestion === undefined ? '' : `${suggestion.replace(/^\((.*)\)$/, '$1')} `;
  return new VenturiError('VENTURI_USAGE', complaint, {
    remedy: guess + (isVerb ? `The verbs are ${verbs}.` : 'See venturi help, or venturi help VERB.'),
    cause: error,
  });
}
