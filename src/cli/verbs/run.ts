import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import type { Graph } from '../../model/graph.ts';
import { endsWords } from '../../report/ends-words.ts';
import { byteSize, count, plural, rate, time } from '../../report/format.ts';
import { plainText } from '../../report/plain-text.ts';
import type { RunResult } from '../../report/results/run-result.ts';
import { shellWord } from '../../report/shell-word.ts';
import type { RunRequest, runInfo, runPipeline } from '../../workflow/index.ts';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseDuration, parseSize } from '../quantities.ts';
import { type RunFlags, withRunOptions } from '../run-options.ts';
import { printJson, printReport } from '../terminal.ts';
import { type WatchedRun, watchBeside } from '../watching.ts';

interface Flags
  extends RunFlags,
    Pick<RunRequest, 'record' | 'redact' | 'deadLetter' | 'inline' | 'checkpoint' | 'resume'> {
  readonly recordLimit?: number;
  readonly every?: number;
  readonly watch?: boolean;
  readonly open?: boolean;
  readonly json?: boolean;
}

interface RunWorkflow {
  readonly runPipeline: typeof runPipeline;
  readonly runInfo: typeof runInfo;
}

export function addRunVerb(program: Command, context: Context, finish: (code: number) => void): void {
  const verb = program
    .command('run')
    .summary('run a pipeline on the engine, and record it')
    .description('Runs the pipeline that a TypeScript or JavaScript file exports by default.')
    .argument('<pipeline>', 'the file with the pipeline')
    .option('--record <folder>', 'record the run into this folder, for `venturi diagnose` and `info`')
    .option('--record-limit <size>', 'keep at most this much of the recording: 500MB', text =>
      parseSize('--record-limit', text),
    )
    .option('--watch', 'show the run in a browser while it goes on; it is recorded, too')
    .option('--no-open', 'with --watch: print the address, and leave the browser alone')
    .option('--redact', 'leave paths and arguments out of the recording');
  withRunOptions(verb)
    .option('--dead-letter <file>', 'append elements that are given up (onError) to this file, a JSON object a line')
    .option('--inline', 'run everything on one thread, for a debugger')
    .option('--checkpoint <file>', 'keep in this file where the run stands, also when it is interrupted or fails')
    .option('--every <time>', 'write the checkpoint this often: 30s unless told otherwise', text =>
      parseDuration('--every', text),
    )
    .option('--resume <file>', 'go on from this checkpoint, with the parameters, seed and epochs it was saved with')
    .option('--json', 'print the result as JSON')
    .action(async (pipeline: string, flags: Flags) => {
      const { runPipeline } = await import('../../workflow/run.ts');
      const runInfo: RunWorkflow['runInfo'] = async folder =>
        (await import('../../workflow/inspect.ts')).pipelineInfo(folder);
      finish(await runVerb(pipeline, flags, context, { runPipeline, runInfo }));
    });
}

export function runVerb(pipeline: string, flags: Flags, context: Context, workflow: RunWorkflow): Promise<number> {
  const { out, err, charset } = context.terminal;
  return withLongWork(context, flags.json === true, async ({ progress, interruption }) => {
    let graph: Graph | undefined;
    let watched: Promise<WatchedRun> | undefined;
    const say = (line: string): void => progress.say(plainText(line));
    // What is watched is read from its recording.
    const record = flags.record ?? (flags.watch === true ? await watchedName(pipeline) : undefined);
    const result = await workflow
      .runPipeline({
        ...requestOf(pipeline, flags),
        record,
        signal: interruption.signal,
        onStart: ({ graph: started, recording }) => {
          graph = started;
          const text = `running ${pipeline}: ${plural(graph.operators.length, 'operator')} in ${plural(graph.stages.length, 'stage')}`;
          progress.say(err.colour('muted', plainText(text)));
          if (flags.watch === true && recording !== undefined) {
            watched = watchBeside(recording, flags.open !== false, say, context);
          }
        },
        onProgress: live => progress.update(live),
        onWarning: ({ message }) => progress.say(`${err.colour('warn', 'warning:')} ${plainText(message)}`),
      })
      .finally(async () => (await watched)?.end());
    progress.say(summary(result, graph));
    if (flags.checkpoint !== undefined && result.status !== 'completed') {
      progress.say(`to go on from here: venturi run ${shellWord(pipeline)} --resume ${shellWord(flags.checkpoint)}`);
    }
    const code = result.status === 'completed' ? EXIT.fine : (interruption.exitCode ?? stoppedCode(result));
    if (flags.json === true) {
      printJson(result, out);
    } else if (result.recording !== undefined) {
      const { runSummaryReport } = await import('../../report/views/run-info.ts');
      printReport(runSummaryReport(await workflow.runInfo(result.recording)), out, charset);
    }
    if (result.recording !== undefined) {
      progress.say(
        `recorded in ${plainText(result.recording)}; what limits it: venturi diagnose ${shellWord(result.recording)}`,
      );
    } else if (err.isLive) {
      progress.say(err.colour('muted', 'add --record FOLDER to see where the time goes'));
    }
    return code;
  });
}

/** A plain run has no need of what names recordings. */
async function watchedName(pipeline: string): Promise<string> {
  const { unusedName } = await import('../../workflow/unused-name.ts');
  return unusedName(basename(pipeline, extname(pipeline)));
}

const requestOf = (
  pipeline: string,
  { recordLimit, set, param, for: forSeconds, every, watch: _, open: __, ...flags }: Flags,
): RunRequest => ({
  ...flags,
  pipeline,
  set: set ?? [],
  params: param ?? [],
  maxRecordBytes: recordLimit,
  forSeconds,
  everySeconds: every,
});

/** `--for` and a consumer that has enough end a run as they should; only an interruption is no success. */
const stoppedCode = ({ status }: RunResult): number => (status === 'interrupted' ? EXIT.interrupted : EXIT.fine);

function summary({ status, elements, ends, bytes, seconds, elementsPerSecond }: RunResult, graph?: Graph): string {
  const size = bytes > 0 ? `, ${byteSize(bytes)}` : '';
  return `${status}: ${count(elements)} ${elements === 1 ? 'element' : 'elements'}${plainText(endsWords(ends, graph))}${size} in ${time(seconds * 1e9)}, ${rate(elementsPerSecond)}`;
}
