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
// A pipeline's module is imported here as well: what it leaves to nobody is not our fault.
watchStrays((thrown, kind) => {
  const isOurs = thrown instanceof VenturiError || (thrown instanceof Error && userFrames(thrown).length === 0);
  fail(isOurs ? thrown : strayError(thrown, kind, 'the main thread'));
});

// Whoever reads us may have enough (`venturi info run | head`): that is no failure. A full disk is one. Talk that nobody listens to
// is no reason to leave the work.
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

// The one object on stdout must stay readable by programs: what a pipeline's own functions print goes to stderr.
const writeOut = process.stdout.write.bind(process.stdout);
if (asJson) process.stdout.write = process.stderr.write.bind(process.stderr);

const code = await runProgram(args, context);
process.exitCode = code;
// Output to a pipe may still be under way; leave when it is through, whatever else keeps the process alive. The turn of
// the loop in between lets a failure to write be heard.
writeOut('', () => process.stderr.write('', () => setImmediate(() => leave(code))));
