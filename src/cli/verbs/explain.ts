import type { Command } from 'commander';
import type { RunRequest } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { type PlanFlags, withPlanOptions } from '../run-options.ts';
import { printAnswer } from '../terminal.ts';

interface ExplainFlags extends PlanFlags, Pick<RunRequest, 'inline'> {
  readonly json?: boolean;
}

export function addExplainVerb(program: Command, context: Context, finish: (code: number) => void): void {
  const verb = program
    .command('explain')
    .summary('show how a pipeline would run: its plan and generated code')
    .description(
      'Shows the graph of a pipeline, its stages and their tasks, and the code that is generated for each stage, with ' +
        'the operator that every line belongs to. Nothing is run.',
    )
    .argument('<pipeline>', 'the file with the pipeline');
  withPlanOptions(verb)
    .option('--inline', 'everything on one thread')
    .option('--json', 'print it as JSON')
    .action(async (pipeline: string, { set, param, json, ...flags }: ExplainFlags) => {
      const { explain } = await import('../../workflow/explain.ts');
      printAnswer(await explain({ ...flags, pipeline, set: set ?? [], params: param ?? [] }), json, context.terminal);
      finish(EXIT.fine);
    });
}
