import { fileURLToPath } from 'node:url';
import { describeThrown, messageOf, stackOf } from '../errors/thrown.ts';
import { type ErrorCode, VenturiError } from '../model/errors.ts';
import { plainText } from '../report/plain-text.ts';
import { EXIT, EXIT_OF } from './exit-codes.ts';
import { printJson, type Terminal } from './terminal.ts';

/** Folder of Venturi's own modules; stack frames from there do not help the author of a pipeline. */
const OWN_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const MOST_FRAMES = 8;

/** Failures whose cause was thrown by the author's own code. */
const IN_USER_CODE: ReadonlySet<ErrorCode> = new Set([
  'VENTURI_USER_FUNCTION',
  'VENTURI_UNCAUGHT',
  'VENTURI_PIPELINE_IMPORT',
]);

/** Prints an error on stderr, with `asJson` also as JSON on stdout. Returns the exit code. */
export function printFailure(error: unknown, terminal: Terminal, asJson: boolean): number {
  const isExpected = error instanceof VenturiError;
  if (asJson) {
    const detail = isExpected
      ? { code: error.code, message: error.message, remedy: error.remedy }
      : { code: 'VENTURI_BUG', message: describe(error), remedy: REPORT_IT };
    printJson({ schemaVersion: 1, error: detail }, terminal.out);
  }
  const { err, charset } = terminal;
  const arrow = charset === 'ascii' ? '->' : '→';
  const say = (line: string): void => err.write(`${line}\n`);
  if (!isExpected) {
    say(`${err.colour('bad', 'error')} ${traceOf(error)}`);
    say(`${err.colour('accent', arrow)} ${REPORT_IT}`);
    return EXIT.bug;
  }
  say(`${err.colour('bad', `error ${error.code}:`)} ${lines(error.message)}`);
  if (IN_USER_CODE.has(error.code)) for (const frame of userFrames(error.cause)) say(err.colour('muted', frame));
  if (error.remedy !== undefined) say(`${err.colour('accent', arrow)} ${lines(error.remedy)}`);
  return EXIT_OF[error.code];
}

const REPORT_IT = 'This is a bug in Venturi. Please report it with the lines above and the command you gave.';

/** The text without control characters, line breaks excepted. */
const lines = (text: string): string => text.split('\n').map(plainText).join('\n');

const describe = (error: unknown): string => (error instanceof Error ? messageOf(error) : describeThrown(error));

const traceOf = (error: unknown): string => lines(stackOf(error) || describe(error));

/** The frames of the author's own code: neither the engine's nor the runtime's. */
export function userFrames(thrown: unknown, ownFolder: string = OWN_FOLDER): string[] {
  const stack = stackOf(thrown);
  if (stack === undefined) return [];
  return stack
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .map(plainText)
    .filter(
      line => !line.includes(ownFolder) && !/[ (](node:|venturi:|data:|evalmachine)|[\\/]commander[\\/]/.test(line),
    )
    .slice(0, MOST_FRAMES);
}
