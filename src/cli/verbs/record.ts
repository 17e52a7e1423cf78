import type { Command } from 'commander';
import { VenturiError } from '../../model/errors.ts';
import { DEFAULT_PERF } from '../../probes/samples/perf-process.ts';
import { plainText } from '../../report/plain-text.ts';
import type { RecordResult } from '../../report/results/record-result.ts';
import { headline } from '../../report/views/run-info.ts';
import type { attachProgram, RecordRequest, recordProgram, runInfo, watchBatches } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { LiveLoader } from '../live-loader.ts';
import { parseSize, parseWhole } from '../quantities.ts';
import { printJson } from '../terminal.ts';

interface RecordFlags {
  readonly out?: string;
  readonly batches?: number;
  readonly perf?: boolean;
  readonly perfEvents?: readonly string[];
  readonly perfFrequency?: number;
  readonly stacks?: boolean;
  readonly thenStop?: boolean;
  readonly recordLimit?: number;
  readonly redact?: boolean;
  readonly attach?: number;
  readonly costs?: boolean;
  readonly live?: boolean;
  readonly json?: boolean;
}

interface RecordWorkflow {
  readonly attachProgram: typeof attachProgram;
  readonly recordProgram: typeof recordProgram;
  readonly runInfo: typeof runInfo;
  readonly watchBatches: typeof watchBatches;
}

export function addRecordVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('record')
    .summary('run a program that uses PyTorch, and record its DataLoaders')
    .description(
      'Runs a command and records the DataLoaders of every Python it starts. The program is not edited; its output, ' +
        'its exit code and its signals pass through.',
    )
    .usage('[options] (-- COMMAND [ARGUMENTS...] | --attach PID)')
    .argument('[command...]', 'the command, behind two dashes')
    .option('--out <folder>', 'record into this folder; else it is named after the script')
    .option('--batches <n>', 'stop recording after this many batches; the program goes on', text =>
      parseWhole('--batches', text, 1),
    )
    .option('--perf', 'take samples of native code beside it, with Linux perf')
    .option('--perf-events <events>', 'what to sample, as perf names it; cpu-clock unless given', text =>
      text.split(',').filter(event => event !== ''),
    )
    .option('--perf-frequency <n>', 'samples per second of each busy thread; 999 unless given', text =>
      parseWhole('--perf-frequency', text, 1),
    )
    .option('--stacks', 'sample the lines of Python that prepare elements, 100 times a second')
    .option('--then-stop', 'end the program too, with the step of the last of those batches')
    .option('--record-limit <size>', 'keep at most this much of the recording: 500MB', text =>
      parseSize('--record-limit', text),
    )
    .option(
      '--attach <pid>',
      'record a process that runs already, until it ends or Ctrl-C; Python 3.14 and newer',
      text => parseWhole('--attach', text, 1),
    )
    .option('--redact', 'leave paths and arguments out of the recording')
    .option('--no-costs', 'measure nothing of the machine once the program has ended; forecasts are then less certain')
    .option(
      '--live',
      'show beside the program what its loader does now: on a terminal in its last row, else one line every ten seconds',
    )
    .option('--json', 'print the result as JSON; what the program prints goes to standard error')
    .action(async (command: readonly string[], flags: RecordFlags) => {
      finish(await recordVerb(command, flags, context, await import('../../workflow/index.ts')));
    });
}

/** Said where it takes a moment after the program: once an hour on a quiet machine, whose costs are kept; every time on a busy one. */
const MEASURING =
  'measuring this machine for forecasts, a few seconds (kept for an hour if it is quiet); record --no-costs leaves it out';

export async function recordVerb(
  command: readonly string[],
  flags: RecordFlags,
  context: Context,
  workflow: RecordWorkflow,
): Promise<number> {
  const live = flags.live === true ? new LiveBatches(context, workflow) : undefined;
  let result: RecordResult;
  try {
    result = await (flags.attach === undefined
      ? started(command, flags, context, workflow, live)
      : attached(flags.attach, command, flags, context, workflow, live));
  } finally {
    live?.close();
  }
  return told(result, flags, context, workflow);
}

async function started(
  command: readonly string[],
  flags: RecordFlags,
  context: Context,
  workflow: RecordWorkflow,
  live: LiveBatches | undefined,
): Promise<RecordResult> {
  const passing = new SignalPassing(context);
  try {
    return await workflow.recordProgram({
      command,
      ...commonOf(flags),
      ...perfOf(flags),
      ...(flags.stacks === undefined ? {} : { stacks: flags.stacks }),
      ...(flags.thenStop === undefined ? {} : { thenStop: flags.thenStop }),
      ...(flags.costs === undefined ? {} : { costs: flags.costs }),
      ...(flags.json === true ? { outputToError: true } : {}),
      onStart: ({ folder, kill }) => {
        passing.to(kill);
        live?.watch(folder);
      },
      onEnd: () => live?.close(),
      onCosts: () => context.terminal.err.write(`${MEASURING}\n`),
    });
  } finally {
    passing.close();
  }
}

const commonOf = ({ out, batches, recordLimit, redact }: RecordFlags) => ({
  ...(out === undefined ? {} : { out }),
  ...(batches === undefined ? {} : { batches }),
  ...(recordLimit === undefined ? {} : { maxRecordBytes: recordLimit }),
  ...(redact === undefined ? {} : { redact }),
});

async function told(
  result: RecordResult,
  flags: RecordFlags,
  { terminal: { out, err } }: Context,
  workflow: RecordWorkflow,
): Promise<number> {
  const say = (line: string): void => err.write(`${line}\n`);
  for (const { message } of result.warnings) say(`${err.colour('warn', 'warning:')} ${plainText(message)}`);
  if (result.recording !== undefined) {
    say(plainText(headline(await workflow.runInfo(result.recording))));
    say(`recorded in ${plainText(result.recording)}; all of it: venturi info ${plainText(result.recording)}`);
  }
  if (flags.json === true) printJson(result, out);
  return result.exitCode;
}

/** Signals end the recording; the process is somebody else's. */
async function attached(
  pid: number,
  command: readonly string[],
  flags: RecordFlags,
  { terminal: { err }, signals }: Context,
  workflow: RecordWorkflow,
  live: LiveBatches | undefined,
): Promise<RecordResult> {
  if (command.length > 0 || flags.thenStop === true || 'perf' in perfOf(flags)) {
    throw new VenturiError('VENTURI_USAGE', '--attach takes neither a command, nor --then-stop, nor --perf.', {
      remedy: `venturi record --attach ${pid} --batches 200`,
    });
  }
  let stop = (): void => undefined;
  const onSignal = (): void => stop();
  signals.on('SIGINT', onSignal);
  signals.on('SIGTERM', onSignal);
  try {
    return await workflow.attachProgram({
      pid,
      ...commonOf(flags),
      onStart: started => {
        stop = () => started.stop();
        live?.watch(started.folder);
      },
      onWaiting: () => err.write(`process ${pid} has not come to a place at which it can be entered; waiting\n`),
    });
  } finally {
    signals.off('SIGINT', onSignal);
    signals.off('SIGTERM', onSignal);
  }
}

/** An option of perf's asks for perf. */
function perfOf({ perf, perfEvents, perfFrequency }: RecordFlags): Pick<RecordRequest, 'perf'> {
  if (perf !== true && perfEvents === undefined && perfFrequency === undefined) return {};
  const { events, frequency } = DEFAULT_PERF;
  return { perf: { events: perfEvents ?? events, frequency: perfFrequency ?? frequency } };
}

/** What loaders do, shown from when there is a folder to read it from. */
class LiveBatches {
  readonly #loader: LiveLoader;
  readonly #workflow: Pick<RecordWorkflow, 'watchBatches'>;
  #stop = (): void => undefined;

  constructor(context: Context, workflow: Pick<RecordWorkflow, 'watchBatches'>) {
    this.#loader = new LiveLoader(context);
    this.#workflow = workflow;
  }

  /** Where nothing could be written there is no folder. */
  watch(folder: string): void {
    if (folder !== '') this.#stop = this.#workflow.watchBatches(folder, recent => this.#loader.update(recent));
  }

  close(): void {
    this.#stop();
    this.#loader.close();
  }
}

/**
 * While a program runs, signals are for the program. A terminal sends Ctrl-C to everything in the foreground, so the
 * program has had it already; what comes otherwise is passed on.
 */
export class SignalPassing {
  readonly #context: Context;
  #kill: ((signal: 'SIGINT' | 'SIGTERM') => void) | undefined;
  readonly #onInterrupt = (): void => {
    const { out, err } = this.#context.terminal;
    if (!out.isLive && !err.isLive) this.#kill?.('SIGINT');
  };
  readonly #onTerminate = (): void => this.#kill?.('SIGTERM');

  constructor(context: Context) {
    this.#context = context;
    context.signals.on('SIGINT', this.#onInterrupt);
    context.signals.on('SIGTERM', this.#onTerminate);
  }

  to(kill: (signal: 'SIGINT' | 'SIGTERM') => void): void {
    this.#kill = kill;
  }

  close(): void {
    this.#context.signals.off('SIGINT', this.#onInterrupt);
    this.#context.signals.off('SIGTERM', this.#onTerminate);
  }
}
