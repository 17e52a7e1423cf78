import type { Command } from 'commander';
import { DEFAULT_PERF } from '../../probes/samples/perf-process.ts';
import { plainText } from '../../report/plain-text.ts';
import { headline } from '../../report/views/run-info.ts';
import type { RecordFlags } from '../../workflow/index.ts';
import { attended } from '../attended.ts';
import type { Context } from '../context.ts';
import { parseSize, parseWhole } from '../quantities.ts';
import { printJson } from '../terminal.ts';

interface Flags extends Omit<RecordFlags, 'perf' | 'maxRecordBytes' | 'outputToError'> {
  readonly perf?: boolean;
  readonly perfEvents?: readonly string[];
  readonly perfFrequency?: number;
  readonly recordLimit?: number;
  readonly watch?: boolean;
  readonly open?: boolean;
  readonly json?: boolean;
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
    .option('--watch', 'show in a browser what its loaders do, while they do it')
    .option('--no-open', 'with --watch: print the address, and leave the browser alone')
    .option('--json', 'print the result as JSON; what the program prints goes to standard error')
    .action(async (command: readonly string[], flags: Flags) => {
      const { recordCommand, runInfo } = await import('../../workflow/index.ts');
      const { out, err } = context.terminal;
      const say = (line: string): void => err.write(`${line}\n`);
      const code = await attended(
        context,
        flags.json === true,
        attendant => recordCommand(command, requestOf(flags), attendant),
        async result => {
          for (const { message } of result.warnings) say(`${err.colour('warn', 'warning:')} ${plainText(message)}`);
          if (result.recording !== undefined) {
            say(plainText(headline(await runInfo(result.recording))));
            say(`recorded in ${plainText(result.recording)}; all of it: venturi info ${plainText(result.recording)}`);
          }
          if (flags.json === true) printJson(result, out);
          return result.exitCode;
        },
        flags.watch === true ? { isOpened: flags.open !== false } : undefined,
      );
      finish(code);
    });
}

/** An option of perf's asks for perf. */
function requestOf({ perf, perfEvents, perfFrequency, recordLimit, watch, open, json, ...flags }: Flags): RecordFlags {
  const { events, frequency } = DEFAULT_PERF;
  const isSampled = perf === true || perfEvents !== undefined || perfFrequency !== undefined;
  return {
    ...flags,
    maxRecordBytes: recordLimit,
    perf: isSampled ? { events: perfEvents ?? events, frequency: perfFrequency ?? frequency } : undefined,
    outputToError: json,
  };
}
