import type { Command } from 'commander';
import { VenturiError } from '../../model/errors.ts';
import { RULES, type RuleName } from '../../tuning/rules/rule.ts';
import type { TuneFlags, tuneCommand } from '../../workflow/index.ts';
import { DEFAULT_BATCHES, DEFAULT_ROUNDS, DEFAULT_SECONDS } from '../../workflow/targets/tune-defaults.ts';
import { attended } from '../attended.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseDuration, parseRate, parseSize, parseWhole } from '../quantities.ts';
import { collect } from '../run-options.ts';
import { printAnswer } from '../terminal.ts';

const collectRule = (value: string, before: readonly RuleName[] = []): readonly RuleName[] => {
  const name = RULES.find(rule => rule === value);
  if (name !== undefined) return [...before, name];
  throw new VenturiError('VENTURI_USAGE', `--without: there is no rule '${value}'.`, {
    remedy: `The rules are ${RULES.join(', ')}.`,
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
      `plans to try, each with what those before have shown (${DEFAULT_ROUNDS}); or turns of a program (1)`,
      text => parseWhole('--rounds', text, 1),
    )
    .option('--for <time>', `length of each recording: 10s (${DEFAULT_SECONDS}s)`, text => parseDuration('--for', text))
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
    .option('--without <rule>', `leave out a rule: ${RULES.join(', ')} (repeatable)`, collectRule)
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
    .option('--batches <n>', `batches of each run of a program, which ends after them (${DEFAULT_BATCHES})`, text =>
      parseWhole('--batches', text, 20),
    )
    .option('--loader <name>', 'tune this loader of a program; else the one that is waited for most')
    .option(
      '--page <file>',
      'write a page of what was tried: the graph before and after; with --record of the run, too',
    )
    .option('--json', 'print the result as JSON')
    .action(async (command: readonly string[], flags: TuneFlags) => {
      finish(await tuneVerb(command, flags, context, await import('../../workflow/index.ts')));
    });
}

export function tuneVerb(
  command: readonly string[],
  flags: TuneFlags,
  context: Context,
  workflow: { readonly tuneCommand: typeof tuneCommand },
): Promise<number> {
  return attended(
    context,
    flags.json === true,
    attendant => workflow.tuneCommand(command, flags, attendant),
    answer => {
      printAnswer(answer, flags.json, context.terminal);
      return answer.reached ? EXIT.fine : EXIT.gateFailed;
    },
  );
}

const answerOf = (text: string): 'allow' | 'refuse' => {
  if (text === 'allow' || text === 'refuse') return text;
  throw new VenturiError('VENTURI_USAGE', `--side-effects: '${text}' is neither allow nor refuse.`, {
    remedy: 'Write --side-effects allow, or --side-effects refuse.',
  });
};
