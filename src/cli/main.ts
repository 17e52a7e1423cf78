#!/usr/bin/env node
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { printFailure } from './failure.ts';
import { runProgram } from './program.ts';
import { openTerminal } from './terminal.ts';

const terminal = openTerminal(process.stdout, process.stderr, process.env);

const context: Context = {
  terminal,
  signals: process,
  now: () => performance.now(),
  leave: code => process.exit(code),
  atExit: tidy => {
    process.on('exit', tidy);
    return () => process.off('exit', tidy);
  },
};

// Whoever reads us may have enough (`venturi info run | head`): that is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.fine);
    throw error;
  });
}

const fail = (error: unknown): void => {
  process.exit(printFailure(error, terminal, false));
};
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

const code = await runProgram(process.argv.slice(2), context);
process.exitCode = code;
// Output to a pipe may still be under way; leave when it is through, whatever else keeps the process alive.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
