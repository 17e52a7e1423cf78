import { type Command, Option } from 'commander';
import { VenturiError } from '../../model/errors.ts';
import { functionMapReport } from '../../report/views/function-map.ts';
import type { MapRequest } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { parseDuration, parseWhole } from '../quantities.ts';
import { printAnswer } from '../terminal.ts';

interface MapFlags {
  readonly table?: string;
  readonly isolated: NonNullable<MapRequest['isolated']>;
  readonly split?: 'samples' | 'elapsed';
  readonly interval?: number;
  readonly confidence?: number;
  readonly top: number;
  readonly json?: boolean;
}

export function addMapVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('map')
    .summary('say which operators native functions serve, for profilers that only give totals')
    .description(
      'Maps native functions to the operators they serve, from recordings with samples or from tables of operators run by ' +
        'themselves, and divides the totals per function of VTune or AMD uProf among operators.',
    )
    .argument('[runs...]', 'recordings of the program on this machine')
    .option('--table <file>', 'totals per function of a whole job, from VTune or AMD uProf, to divide among operators')
    .option(
      '--isolated <operator=file>',
      'a table of one operator run by itself; once for each run of it',
      isolated,
      [],
    )
    .addOption(
      new Option('--split <rule>', 'divide shared functions by samples, or by elapsed times of operators').choices([
        'samples',
        'elapsed',
      ]),
    )
    .option('--interval <time>', 'time between two samples of an isolated table; 10ms unless given', text =>
      parseDuration('--interval', text),
    )
    .option('--confidence <part>', 'probability of having captured a function; 0.75 unless given', parseConfidence)
    .option('--top <n>', 'functions shown for each operator', text => parseWhole('--top', text, 0), 5)
    .option('--json', 'print it as JSON')
    .action(async (runs: string[], { interval, json, top, ...request }: MapFlags) => {
      const { mapFunctions } = await import('../../workflow/index.ts');
      const result = await mapFunctions({ ...request, runs, interval: interval && interval * 1e9 });
      printAnswer({ result, report: () => functionMapReport(result, top) }, json, context.terminal);
      finish(EXIT.fine);
    });
}

function isolated(text: string, before: NonNullable<MapRequest['isolated']>): NonNullable<MapRequest['isolated']> {
  const [, operator, file] = /^(.+?)=(.+)$/.exec(text) ?? [];
  if (operator === undefined || file === undefined) {
    throw new VenturiError('VENTURI_USAGE', `--isolated: '${text}' is not OPERATOR=FILE.`, {
      remedy: 'Write the operator, an equals sign and the table: --isolated decode=decode-1.csv',
    });
  }
  return [...before, { operator, file }];
}

function parseConfidence(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1)) {
    throw new VenturiError('VENTURI_USAGE', `--confidence: '${text}' is not between 0 and 1.`, {
      remedy: 'Write a probability: 0.75.',
    });
  }
  return value;
}
