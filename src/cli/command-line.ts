import { strayError, watchStrays } from '../errors/stray-errors.ts';
import { VenturiError } from '../model/errors.ts';
import { askAt } from './ask.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { printFailure, userFrames } from './failure.ts';
import { leave, leaveAtOnce } from './leaving.ts';
import { runProgram, wantsJson } from './program.ts';
import { openTerminal } from './terminal.ts';

const args = process.argv.slice(2);
const asJson = wantsJson(args);
const terminal = openTerminal(process.stdout, process.stderr, process.env);

const context: Context = {
  terminal,
  signals: process,
  now: () => performance.now(),
  ask: askAt(process.stdin, process.stderr),
  leave: leaveAtOnce,
  atExit: tidy => {
    process.on('exit', tidy);
    return () => process.off('exit', tidy);
  },
};

const fail = (error: unknown): void => {
  leave(printFailure(error, terminal, asJson));
};
// The pipeline's module is loaded in this thread too: errors that nobody caught may be the author's.
watchStrays((thrown, kind) => {
  const isOurs = thrown instanceof VenturiError || (thrown instanceof Error && userFrames(thrown).length === 0);
  fail(isOurs ? thrown : strayError(thrown, kind, 'the main thread'));
});

// A closed stdout (`venturi info run | head`) ends the program without a failure, and a closed stderr is ignored. Other errors, such
// as a full disk, are failures.
for (const [name, stream] of [['output', process.stdout] as const, ['error', process.stderr] as const]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && name === 'error') return;
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.fine);
    fail(
      new VenturiError('VENTURI_USAGE', `standard ${name} cannot be written: ${error.message}`, {
        remedy: 'send it to a place that has room',
        cause: error,
      }),
    );
  });
}

// With --json stdout holds one JSON object: output of the pipeline's own functions goes to stderr instead.
const writeOut = process.stdout.write.bind(process.stdout);
if (asJson) process.stdout.write = process.stderr.write.bind(process.stderr);

const code = await runProgram(args, context);
process.exitCode = code;
// Writes to a pipe are asynchronous: leave when they are done, whatever else keeps the process alive. `setImmediate` lets the
// error event of a failed write come first.
writeOut('', () => process.stderr.write('', () => setImmediate(() => leave(code))));
