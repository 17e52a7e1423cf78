import { count, decimal, percent, plural, precisePercent, preciseTime } from '../format.ts';
import type { FunctionMapping } from '../results/function-mapping.ts';
import type { Block, Report, TableBlock } from '../tree.ts';

const UNMAPPED_SHOWN = 5;

export function functionMapReport(mapping: FunctionMapping, top: number): Report {
  const { functions, capture, source, confidence, table } = mapping;
  const shared = functions.filter(({ owners }) => owners.length > 1).length;
  const blocks: Block[] = [
    {
      type: 'verdict',
      text:
        `${plural(functions.length, 'native function')} ${functions.length === 1 ? 'serves' : 'serve'} ${plural(capture.length, 'operator')}, by ${source}; ` +
        `${count(shared)} of them serve several`,
    },
    {
      type: 'heading',
      text: 'Operators',
      note:
        `a function as long as the shortest was captured with ${percent(confidence)} probability; ` +
        "1 % of it: one that takes a hundredth of the operator's time",
    },
    captureTable(mapping),
  ];
  if (table !== undefined) {
    blocks.push(
      {
        type: 'heading',
        text: 'Table',
        note:
          `operators have ${percent(table.mapped)} of it, ${percent(table.shared)} through functions they share; ` +
          'ratios are weighed by clock ticks',
      },
      operatorTable(table),
    );
    if (table.unmapped.length > 0) {
      blocks.push({ type: 'heading', text: 'In no operator' }, unmappedTable(table));
    }
  }
  if (top > 0) {
    const note = mapping.split === 'samples' ? 'divided by samples' : 'divided by elapsed times of operators';
    blocks.push({ type: 'heading', text: 'Functions', note }, functionTable(mapping, top));
  }
  return blocks;
}

const captureTable = ({ capture }: FunctionMapping): TableBlock => ({
  type: 'table',
  columns: [
    { title: 'operator', align: 'left' },
    { title: 'functions', align: 'right' },
    { title: 'runs', align: 'right' },
    { title: 'sampled every', align: 'right' },
    { title: 'shortest', align: 'right' },
    { title: '1 % of it', align: 'right' },
    { title: 'runs for that', align: 'right', optional: true },
    { title: 'elapsed', align: 'right' },
  ],
  rows: capture.map(row => [
    row.operator,
    count(row.functions),
    count(row.runs),
    preciseTime(row.interval),
    preciseTime(row.shortest),
    precisePercent(row.hundredth),
    count(row.runsWanted),
    preciseTime(row.elapsed),
  ]),
});

type MappedTable = NonNullable<FunctionMapping['table']>;

const operatorTable = ({ metrics, operators }: MappedTable): TableBlock => ({
  type: 'table',
  columns: [
    { title: 'operator', align: 'left' },
    ...metrics.map(({ name }, at) => ({ title: name, align: 'right' as const, optional: at > 0 })),
  ],
  rows: operators.map(({ operator, values }) => [
    operator,
    ...metrics.map(({ kind }, at) => {
      const value = values[at];
      if (kind === 'ratio') return value === undefined ? '' : value.toFixed(3);
      return value !== undefined && value >= 1000 ? count(value) : decimal(value);
    }),
  ]),
});

const unmappedTable = ({ unmapped }: MappedTable): TableBlock => ({
  type: 'table',
  columns: [
    { title: 'function', align: 'left' },
    { title: 'library', align: 'left' },
    { title: 'of the table', align: 'right' },
  ],
  rows: unmapped.slice(0, UNMAPPED_SHOWN).map(({ symbol, module, part }) => [symbol, module, precisePercent(part)]),
});

function functionTable({ functions, capture }: FunctionMapping, top: number): TableBlock {
  return {
    type: 'table',
    columns: [
      { title: 'operator', align: 'left' },
      { title: 'gets', align: 'right' },
      { title: 'library', align: 'left' },
      { title: 'function', align: 'left' },
    ],
    rows: capture.flatMap(({ operator }) =>
      functions
        .flatMap(entry => {
          const own = entry.owners.find(owner => owner.operator === operator);
          return own === undefined ? [] : [{ ...entry, ...own }];
        })
        .sort((a, b) => b.hits - a.hits)
        .slice(0, top)
        .map(({ symbol, module, part }, at) => [at === 0 ? operator : '', precisePercent(part), module, symbol]),
    ),
  };
}
