import type { Command } from 'commander';
import type { RunRequest } from '../../workflow/index.ts';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseDuration, parseMoment, parseWhole } from '../quantities.ts';
import { type RunFlags, withRunOptions } from '../run-options.ts';
import { printAnswer } from '../terminal.ts';

interface ProfileFlags extends RunFlags, Pick<RunRequest, 'record' | 'inline'> {
  readonly rate?: number;
  readonly perf?: boolean;
  readonly perfEvents?: readonly string[];
  readonly level: string;
  readonly from?: number;
  readonly to?: number;
  readonly epoch?: number;
  readonly json?: boolean;
}

export function addProfileVerb(program: Command, context: Context, finish: (code: number) => void): void {
  const verb = program
    .command('profile')
    .summary('show what each operator and line of generated code costs')
    .description(
      'Runs a pipeline, samples all its lanes, and says which operators, tasks and lines the samples fall into. Given a run ' +
        'that was profiled before, shows it again, whole or between two moments.',
    )
    .argument('<pipeline>', 'the file with the pipeline, or the folder NAME.venturi of a profiled run')
    .option('--rate <n>', 'samples per second and lane; 1000 unless given', text => parseWhole('--rate', text, 1))
    .option('--perf', 'sample native functions and hardware events too, with Linux perf')
    .option('--perf-events <events>', 'what perf samples, as it names it; cpu-clock unless given', text =>
      text.split(',').filter(event => event !== ''),
    )
    .option('--level <level>', 'how deep to go: operator, task or line', 'operator')
    .option('--from <time>', 'count samples from this moment of the run on: 1s', text => parseMoment('--from', text))
    .option('--to <time>', 'count samples up to this moment', text => parseDuration('--to', text))
    .option('--epoch <n>', 'count samples of this epoch alone, the first being 1', text =>
      parseWhole('--epoch', text, 1),
    )
    .option('--record <folder>', 'where the run is kept; named after the pipeline unless given');
  withRunOptions(verb)
    .option('--inline', 'run everything on one thread')
    .option('--json', 'print it as JSON')
    .action(async (subject: string, flags: ProfileFlags) => {
      const { profile } = await import('../../workflow/profile-pipeline.ts');
      const { rate, level, from, to, epoch, set, param, for: forSeconds, json, ...run } = flags;
      const request = {
        ...run,
        subject,
        rate,
        level,
        from,
        to,
        epoch,
        forSeconds,
        set: set ?? [],
        params: param ?? [],
      };
      finish(
        await withLongWork(context, json === true, async ({ progress, interruption }) => {
          const { err } = context.terminal;
          const answer = await profile(request, {
            signal: interruption.signal,
            onProgress: live => progress.update(live),
            onWarning: ({ message }) => progress.say(`${err.colour('warn', 'warning:')} ${message}`),
          });
          progress.close();
          printAnswer(answer, json, context.terminal);
          return interruption.exitCode ?? EXIT.fine;
        }),
      );
    });
}
