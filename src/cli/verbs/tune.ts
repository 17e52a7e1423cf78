import type { Command } from 'commander';
import { VenturiError } from '../../model/errors.ts';
import { plainText } from '../../report/plain-text.ts';
import type { TuneResult } from '../../report/results/tuning.ts';
import { shellWord } from '../../report/shell-word.ts';
import { tuningReport } from '../../report/views/tuning.ts';
import { PASSES, type PassName } from '../../tuning/passes/pass.ts';
import type { savePlan, TuneRequest, tune } from '../../workflow/index.ts';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseDuration, parseRate, parseSize, parseWhole } from '../quantities.ts';
import { printJson, printReport } from '../terminal.ts';
import { type TuneProgramFlags, tuneProgramVerb } from './tune-program.ts';

interface TuneFlags {
  readonly rounds?: number;
  readonly for?: number;
  readonly untilStable?: boolean;
  readonly memory?: number;
  readonly target?: number;
  readonly epochs?: number;
  readonly param?: readonly string[];
  readonly keep?: readonly string[];
  readonly without?: readonly PassName[];
  readonly cacheFolder?: string;
  readonly record?: string;
  readonly sideEffects?: 'allow' | 'refuse';
  readonly seed?: number;
  readonly root?: string;
  readonly out?: string;
  readonly json?: boolean;
}

interface TuneWorkflow {
  readonly tune: typeof tune;
  readonly savePlan: typeof savePlan;
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const collectPass = (value: string, before: readonly PassName[] = []): readonly PassName[] => {
  const name = PASSES.find(pass => pass === value);
  if (name !== undefined) return [...before, name];
  throw new VenturiError('VENTURI_USAGE', `--without: there is no pass '${value}'.`, {
    remedy: `The passes are ${PASSES.join(', ')}.`,
  });
};

export function addTuneVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('tune')
    .summary('make a pipeline or a PyTorch program faster: record it, plan changes, try them')
    .description(
      'Records a pipeline, plans changes to its threads, buffers and caches, tries them, and says what they gain. The ' +
        'elements and their order stay the same. Of a program that uses PyTorch, behind two dashes, it sets the ' +
        'DataLoaders, without an edit. Both run for real, more than once; files that a pipeline writes are thrown away then.',
    )
    .usage('[options] PIPELINE | [options] -- COMMAND [ARGUMENTS...]')
    .argument('<target...>', 'the file with the pipeline; or a program and its arguments, behind two dashes')
    .option(
      '--rounds <n>',
      'plans to try, each with what those before have shown (3); or turns of a program (1)',
      text => parseWhole('--rounds', text, 1),
    )
    .option('--for <time>', 'length of each recording: 10s', text => parseDuration('--for', text))
    .option('--until-stable', 'record until successive rates differ by less than 1 %')
    .option('--memory <size>', 'memory for caches and buffers: 2GB', text => parseSize('--memory', text))
    .option('--target <rate>', 'the fewest threads that reach this rate: 500/s', text => parseRate('--target', text))
    .option(
      '--epochs <n>',
      'how often the data will be run through: caches pay from the second time on, workers that stay start once',
      text => parseWhole('--epochs', text, 1),
    )
    .option('--param <key=value>', 'set a parameter of the pipeline (repeatable)', collect)
    .option('--keep <operator>', 'leave this operator as it is (repeatable)', collect)
    .option('--without <pass>', `leave out a pass: ${PASSES.join(', ')} (repeatable)`, collectPass)
    .option('--cache-folder <folder>', 'keep on disk, in this folder, what does not fit into memory')
    .option('--record <folder>', 'keep the recordings in this folder; those of a program as NAME-before and NAME-after')
    .option(
      '--side-effects <answer>',
      'whether trials may carry out forEach and sinks of your own: allow, or refuse; asked for unless given. ' +
        'Files that Venturi writes for the pipeline are thrown away in any case',
      answerOf,
    )
    .option('--root <operator>', 'count the elements of this operator, instead of all that come to an end')
    .option('--seed <n>', 'seed of all random numbers', text => parseWhole('--seed', text, 0))
    .option('--out <file>', 'write the plan to this file (plan.json), and one without changes where nothing is better')
    .option('--batches <n>', 'batches of each run of a program, which ends after them (200)', text =>
      parseWhole('--batches', text, 20),
    )
    .option('--loader <name>', 'tune this loader of a program; else the one that is waited for most')
    .option('--json', 'print the result as JSON')
    .action(async (target: readonly string[], flags: TuneFlags & TuneProgramFlags) => {
      const workflow = await import('../../workflow/index.ts');
      const [pipeline] = target;
      const isProgram = pipeline === undefined || target.length > 1 || !isPipelineFile(pipeline);
      refuseOthers(flags, isProgram);
      finish(
        isProgram
          ? await tuneProgramVerb(target, flags, context, workflow)
          : await tuneVerb(pipeline, flags, context, workflow),
      );
    });
}

const isPipelineFile = (path: string): boolean => /\.[cm]?[jt]s$/.test(path);

const OF_BOTH = ['rounds', 'epochs', 'record', 'json'];
const OF_PROGRAMS = ['batches', 'loader'];

/** An option that would do nothing is a mistake of its user. */
function refuseOthers(flags: TuneFlags & TuneProgramFlags, isProgram: boolean): void {
  const other = Object.keys(flags).find(flag => !OF_BOTH.includes(flag) && OF_PROGRAMS.includes(flag) !== isProgram);
  if (other === undefined) return;
  const option = `--${other.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
  throw new VenturiError('VENTURI_USAGE', `${option} is for ${isProgram ? 'a pipeline' : 'a program'}.`, {
    remedy: isProgram
      ? 'Name a pipeline (a .ts or .js file), or leave the option out.'
      : 'Give the program behind two dashes: venturi tune -- python3 train.py; or leave the option out.',
  });
}

export function tuneVerb(
  pipeline: string,
  flags: TuneFlags,
  context: Context,
  workflow: TuneWorkflow,
): Promise<number> {
  const { out, err, charset } = context.terminal;
  return withLongWork(context, flags.json === true, async ({ progress, interruption }) => {
    const result = await workflow.tune({
      ...requestOf(pipeline, flags),
      signal: interruption.signal,
      ...asking(context, flags, interruption.signal),
      onStep: line => progress.say(err.colour('muted', plainText(line))),
      onProgress: live => progress.update(live),
    });
    progress.close();
    const file = flags.out ?? (flags.json === true ? undefined : 'plan.json');
    const isWorth = result.plan.changes.length > 0;
    if (file !== undefined && (isWorth || flags.out !== undefined)) workflow.savePlan(file, result.plan);
    if (flags.json === true) printJson(result, out);
    else printReport(tuningReport(result, commandFor(pipeline, file ?? 'plan.json', flags, result)), out, charset);
    if (interruption.exitCode !== undefined) return interruption.exitCode;
    return result.target?.reached === false ? EXIT.gateFailed : EXIT.fine;
  });
}

/** How the plan is carried out: with the parameters it was made for. What it may keep on disk has to be allowed. */
function commandFor(
  pipeline: string,
  file: string,
  { param = [], epochs, seed }: TuneFlags,
  result: TuneResult,
): string {
  const { changes } = result.plan;
  const folder = changes.map(({ action }) => (action.kind === 'cache' ? action.folder : undefined)).find(Boolean);
  const words = [
    ...['venturi', 'run', pipeline],
    ...param.flatMap(each => ['--param', each]),
    ...(epochs === undefined ? [] : ['--epochs', String(epochs)]),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    ...['--plan', file],
    ...(folder === undefined ? [] : ['--cache-folder', folder]),
  ];
  return words.map(shellWord).join(' ');
}

/** Whoever sits at the terminal is asked whether trials may have the effects of sinks. */
function asking({ ask, terminal }: Context, { json }: TuneFlags, signal: AbortSignal): Partial<TuneRequest> {
  if (ask === undefined || json === true) return {};
  return {
    onSideEffects: async operators => {
      const names = operators.map(({ id }) => `'${id}'`).join(', ');
      terminal.err.write(
        `${plainText(`Tuning runs the pipeline several times, and ${names} would do each time what it does.`)}\n`,
      );
      const answer = await ask('Go on? [y/N] ', signal).catch(() => '');
      return /^y(es)?$/i.test(answer.trim());
    },
  };
}

const answerOf = (text: string): 'allow' | 'refuse' => {
  if (text === 'allow' || text === 'refuse') return text;
  throw new VenturiError('VENTURI_USAGE', `--side-effects: '${text}' is neither allow nor refuse.`, {
    remedy: 'Write --side-effects allow, or --side-effects refuse.',
  });
};

const requestOf = (pipeline: string, flags: TuneFlags): TuneRequest => ({
  pipeline,
  parameters: [...(flags.param ?? [])],
  rounds: flags.rounds,
  seconds: flags.for,
  untilStable: flags.untilStable,
  memory: flags.memory,
  target: flags.target,
  epochs: flags.epochs,
  keep: flags.keep,
  without: flags.without,
  cacheFolder: flags.cacheFolder,
  record: flags.record,
  sideEffects: flags.sideEffects,
  seed: flags.seed,
  root: flags.root,
});
