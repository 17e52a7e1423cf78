import { styleText } from 'node:util';
import { renderText } from '../report/text.ts';
import type { Report, Tone } from '../report/tree.ts';
import type { Answer } from '../workflow/answer.ts';
import { formattedReport, type ReportFormat } from './report-format.ts';

/** One of the two streams, as far as the program needs it. */
export interface Output {
  /** A terminal that understands cursor movement. */
  readonly isLive: boolean;
  /** Cells of a line. */
  width(): number;
  /** Rows of a screen. */
  height(): number;
  write(text: string): void;
  colour(tone: Tone, text: string): string;
}

/** Output of the program: results on `out`, messages on `err`. */
export interface Terminal {
  readonly out: Output;
  readonly err: Output;
  readonly charset: 'unicode' | 'ascii';
}

const WIDTH_WITHOUT_TERMINAL = 100;

type Format = Parameters<typeof styleText>[0] & string;
const FORMATS: Readonly<Record<Tone, Format>> = {
  good: 'green',
  warn: 'yellow',
  bad: 'red',
  accent: 'cyan',
  strong: 'bold',
  muted: 'dim',
};

export function openTerminal(
  stdout: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  const open = (stream: NodeJS.WriteStream): Output => {
    // The stream's own `write`: with --json another one replaces it later.
    const write = stream.write.bind(stream);
    return {
      isLive: stream.isTTY === true && env.TERM !== 'dumb',
      width: () => stream.columns || Number(env.COLUMNS) || WIDTH_WITHOUT_TERMINAL,
      height: () => stream.rows || Number(env.LINES) || 0,
      write: text => {
        write(text);
      },
      // styleText itself knows whether the stream is a terminal and what NO_COLOR and FORCE_COLOR ask for.
      colour: (tone, text) => styleText(FORMATS[tone], text, { stream }),
    };
  };
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  // An unset locale says nothing about the terminal; one that is set and not UTF-8 does.
  const isAscii = stdout.isTTY === true && locale !== '' && !/utf-?8/i.test(locale);
  return { out: open(stdout), err: open(stderr), charset: isAscii ? 'ascii' : 'unicode' };
}

export function printReport(report: Report, output: Output, charset: Terminal['charset']): void {
  const colour = (tone: Tone, text: string): string => output.colour(tone, text);
  output.write(renderText(report, { width: output.width(), colour, charset }));
}

/** JSON for programs: one object, with its schema version inside. */
export function printJson(value: object, output: Output): void {
  output.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** An answer, as its reader wants it. */
export function printAnswer(
  { result, report }: Answer,
  asJson: boolean | undefined,
  { out, charset }: Terminal,
  format: ReportFormat = 'text',
): void {
  if (asJson === true) printJson(result, out);
  else if (format === 'text') printReport(report(), out, charset);
  else out.write(formattedReport(report(), format));
}
