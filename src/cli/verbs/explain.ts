import type { Command } from 'commander';
import type { RunRequest } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseSize, parseWhole } from '../quantities.ts';
import { printAnswer } from '../terminal.ts';

interface ExplainFlags extends Pick<RunRequest, 'plan' | 'cacheFolder' | 'maxLanes' | 'epochs' | 'memory' | 'inline'> {
  readonly set?: readonly string[];
  readonly param?: readonly string[];
  readonly json?: boolean;
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export function addExplainVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('explain')
    .summary('show how a pipeline would run: its plan and generated code')
    .description(
      'Shows the graph of a pipeline, its stages and their tasks, and the code that is generated for each stage, with ' +
        'the operator that every line belongs to. Nothing is run.',
    )
    .argument('<pipeline>', 'the file with the pipeline')
    .option('--set <setting>', 'set an operator: decode.parallelism=4 (repeatable)', collect)
    .option('--plan <file>', 'with a plan of `venturi tune`; --set comes after it')
    .option('--cache-folder <folder>', 'where the plan may keep elements on disk; elsewhere it is refused')
    .option('--max-lanes <n>', 'threads that the plan may ask for; by cores and memory unless given', text =>
      parseWhole('--max-lanes', text, 1),
    )
    .option('--param <key=value>', 'set a parameter of the pipeline (repeatable)', collect)
    .option('--epochs <n>', 'run the whole pipeline this many times', text => parseWhole('--epochs', text, 1))
    .option('--memory <size>', 'memory for elements in flight: 256MB, 2GiB', text => parseSize('--memory', text))
    .option('--inline', 'everything on one thread')
    .option('--json', 'print it as JSON')
    .action(async (pipeline: string, { set, param, json, ...flags }: ExplainFlags) => {
      const { explain } = await import('../../workflow/explain.ts');
      printAnswer(await explain({ ...flags, pipeline, set: set ?? [], params: param ?? [] }), json, context.terminal);
      finish(EXIT.fine);
    });
}
