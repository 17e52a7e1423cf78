import type { Reason } from '../../analysis/attribution/span-meaning.ts';
import type { AttributionSummary, EventCount, OperatorSamples } from '../../analysis/attribution/summary.ts';
import { heading, paragraph } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { count, decimal, percent, plural, precisePercent, preciseTime } from '../format.ts';
import type { Block, TableBlock } from '../tree.ts';

const WHY: Readonly<Record<Reason, string>> = {
  betweenOperators: 'in a preparation, between its operators',
  untimed: 'in a batch whose elements were not timed one by one',
  idle: 'waiting for a task',
  handingOver: 'handing a batch over',
  waiting: 'waiting for a batch',
  consuming: 'consuming a batch: the program itself',
  pinning: 'pinning a batch',
  betweenSpans: 'in a recorded thread, between batches',
  before: 'before the first batch: start-up',
  after: 'after the last batch',
  torn: 'after the last batch of a recording that was cut',
  otherThread: 'in other threads of the same processes',
  otherProcess: 'in processes that were not recorded',
  clock: 'outside the run: taken by another clock',
  noOperatorFrame: "in no operator's code, by their stacks",
};

/** Event of the probe's own stack samples: wall time, at work or asleep. */
const WALL_CLOCK = 'wall-clock';

/** Words for samples: of native functions by CPU time, or of Python lines by wall time. */
interface SampleWords {
  readonly time: string;
  readonly code: string;
  readonly inside: string;
  readonly file: string;
  readonly symbol: string;
}
const NATIVE: SampleWords = {
  time: 'CPU',
  code: 'Native code',
  inside: 'Where the CPU goes inside the operators',
  file: 'library',
  symbol: 'symbol',
};
const LINES: SampleWords = {
  time: 'time',
  code: 'Slowest lines',
  inside: 'Slowest lines inside the operators',
  file: 'line',
  symbol: 'function',
};
const ofLines = ({ events }: AttributionSummary): boolean => events.includes(WALL_CLOCK);
export const sampleWords = (samples: AttributionSummary): SampleWords => (ofLines(samples) ? LINES : NATIVE);

/** CPU or wall time; undefined where neither was sampled. */
const timeOf = ({ cpu, events }: OperatorSamples): number | undefined => cpu ?? total(events, WALL_CLOCK);

/** Samples of a run by operator, the heaviest symbols of each, and samples in no operator. */
export function sampleBlocks(samples: AttributionSummary, symbols: number): Block[] {
  const blocks: Block[] = [heading('Samples', sampleNote(samples)), operatorSampleTable(samples)];
  if (samples.operators.length > 0 && symbols > 0) {
    const ofSymbol = ofLines(samples) ? '' : '; of the symbol: part of its samples in any operator';
    const note = `of the operator: part of its samples${ofSymbol}`;
    blocks.push(heading(sampleWords(samples).code, note), symbolTable(samples, symbols));
  }
  if (samples.unattributed.length > 0) {
    blocks.push(heading('Samples in no operator'), unattributedTable(samples));
  }
  return blocks;
}

/** Functions named beside each operator, and reasons named beneath, where samples are one section of many. */
const NAMED = 3;
/** Operators with less than this part of the CPU are left to `venturi samples`. */
const HEAVY = 0.01;

/** CPU inside the operators, in one table. */
export function insideOperators(samples: AttributionSummary): Block[] {
  const heavy = samples.operators.filter(({ ofOperators }) => ofOperators >= HEAVY);
  const hasClock = heavy.some(row => timeOf(row) !== undefined);
  const words = sampleWords(samples);
  const outside = [...samples.unattributed]
    .sort((a, b) => b.hits - a.hits)
    .slice(0, NAMED)
    .map(({ reason, ofAll }) => `${percent(ofAll)} ${WHY[reason]}`);
  return [
    heading(words.inside, `${percent(samples.inOperators)} of ${plural(samples.hits, 'sample')}`),
    table(heavy, [
      names('operator', ({ operator }) => operator),
      hasClock && figures(words.time, row => preciseTime(timeOf(row))),
      figures('of operators', ({ ofOperators }) => precisePercent(ofOperators)),
      names('heaviest', ({ symbols }) =>
        symbols
          .slice(0, NAMED)
          .map(({ symbol, module, ofOperator }) => {
            const name = ofLines(samples) ? `${module} (${symbol})` : functionName(symbol, module);
            return `${name} ${percent(ofOperator)}`;
          })
          .join(', '),
      ),
    ]),
    ...(outside.length === 0 ? [] : [paragraph(`In no operator: ${outside.join('; ')}.`, 'muted')]),
  ];
}

const LONGEST_NAME = 40;

/** Short name of a function: the library where it has no symbols; a C++ name without arguments and template parameters. */
function functionName(symbol: string, module: string): string {
  if (symbol === '' || symbol === '[unknown]') return module;
  let name = symbol;
  for (let shorter = ''; shorter !== name; ) {
    shorter = name;
    name = name.replace(/<[^<>]*>|\([^()]*\)/g, '');
  }
  const last = name.split('::').filter(Boolean).slice(-2).join('::').trim() || symbol;
  return last.length > LONGEST_NAME ? `${last.slice(0, LONGEST_NAME - 1)}…` : last;
}

export function sampleNote({
  profiler,
  hits,
  frequency,
  inOperators,
  inOperatorsOfWorkers,
}: AttributionSummary): string {
  const rate = frequency > 0 ? `, ${count(frequency)} a second` : '';
  const workers =
    inOperatorsOfWorkers === undefined ? '' : `, of those in worker processes ${percent(inOperatorsOfWorkers)}`;
  return `${profiler}${rate}; operators have ${percent(inOperators)} of ${count(hits)}${workers}`;
}

function operatorSampleTable(samples: AttributionSummary): TableBlock {
  const { operators, events } = samples;
  const hasClock = operators.some(row => timeOf(row) !== undefined);
  const counted = events.filter(event => !/^(?:cpu|task|wall)-clock\b/.test(event));
  const hasCpi = operators.some(row => cyclesPerInstruction(row) !== undefined);
  return table(operators, [
    names('operator', ({ operator }) => operator),
    hasClock && figures(sampleWords(samples).time, row => preciseTime(timeOf(row))),
    figures('of operators', ({ ofOperators }) => precisePercent(ofOperators)),
    figures('samples', ({ hits }) => count(hits)),
    ...counted.map(event => figures(event, (row: OperatorSamples) => count(total(row.events, event)))),
    hasCpi && figures('CPI', row => decimal(cyclesPerInstruction(row))),
  ]);
}

const total = (events: readonly EventCount[], name: string): number | undefined =>
  events.find(({ event }) => event === name)?.total;

function cyclesPerInstruction({ events }: OperatorSamples): number | undefined {
  const [cycles, instructions] = [total(events, 'cycles'), total(events, 'instructions')];
  return cycles !== undefined && instructions !== undefined && instructions > 0 ? cycles / instructions : undefined;
}

function symbolTable(samples: AttributionSummary, most: number): TableBlock {
  const { operators } = samples;
  const words = sampleWords(samples);
  // Not for lines: a line belongs to one operator, or to code that several of them call.
  const hasShares = !ofLines(samples);
  const rows = operators.flatMap(({ operator, symbols }) =>
    symbols.slice(0, most).map((row, at) => ({ ...row, operator: at === 0 ? operator : '' })),
  );
  return table(rows, [
    names('operator', ({ operator }) => operator),
    figures('of the operator', ({ ofOperator }) => precisePercent(ofOperator)),
    hasShares && figures('of the symbol', ({ ofSymbol }) => precisePercent(ofSymbol)),
    names(words.file, ({ module }) => module),
    names(words.symbol, ({ symbol }) => symbol),
  ]);
}

const unattributedTable = ({ unattributed }: AttributionSummary): TableBlock =>
  table(unattributed, [
    names('where', ({ reason }) => WHY[reason]),
    figures('of all', ({ ofAll }) => precisePercent(ofAll)),
    figures('samples', ({ hits }) => count(hits)),
    optional(
      names('heaviest', ({ symbols: [first] }) => (first === undefined ? '' : `${first.symbol} (${first.module})`)),
    ),
  ]);
