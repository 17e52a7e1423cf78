import type { TableMetric } from '../../model/function-table.ts';
import { heading } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { count, decimal, percent, plural, precisePercent, preciseTime } from '../format.ts';
import type { FunctionMapping } from '../results/function-mapping.ts';
import type { Block, Report, TableBlock } from '../tree.ts';

const UNMAPPED_SHOWN = 5;

export function functionMapReport(mapping: FunctionMapping, top: number): Report {
  const { functions, capture, source, confidence, table: mapped } = mapping;
  const shared = functions.filter(({ owners }) => owners.length > 1).length;
  const blocks: Block[] = [
    {
      type: 'verdict',
      text:
        `${plural(functions.length, 'native function')} ${functions.length === 1 ? 'serves' : 'serve'} ${plural(capture.length, 'operator')}, by ${source}; ` +
        `${count(shared)} of them serve several`,
    },
    heading(
      'Operators',
      `shortest: captured with ${percent(confidence)} probability; P(1 %): probability at 1 % of its time`,
    ),
    captureTable(mapping),
  ];
  if (mapped !== undefined) {
    blocks.push(
      heading(
        'Table',
        `operators have ${percent(mapped.mapped)} of it, ${percent(mapped.shared)} through functions they share; ` +
          'ratios are weighed by clock ticks',
      ),
      operatorTable(mapped),
    );
    if (mapped.unmapped.length > 0) {
      blocks.push(heading('In no operator'), unmappedTable(mapped));
    }
  }
  if (top > 0) {
    const note = mapping.split === 'samples' ? 'divided by samples' : 'divided by elapsed times of operators';
    blocks.push(heading('Functions', note), functionTable(mapping, top));
  }
  return blocks;
}

const captureTable = ({ capture }: FunctionMapping): TableBlock =>
  table(capture, [
    names('operator', ({ operator }) => operator),
    figures('functions', ({ functions }) => count(functions)),
    figures('runs', ({ runs }) => count(runs)),
    figures('sampled every', ({ interval }) => preciseTime(interval)),
    figures('shortest', ({ shortest }) => preciseTime(shortest)),
    figures('P(1 %)', ({ hundredth }) => precisePercent(hundredth)),
    optional(figures('runs needed', ({ runsWanted }) => count(runsWanted))),
    figures('elapsed', ({ elapsed }) => preciseTime(elapsed)),
  ]);

type MappedTable = NonNullable<FunctionMapping['table']>;

const operatorTable = ({ metrics, operators }: MappedTable): TableBlock =>
  table(operators, [
    names('operator', ({ operator }) => operator),
    ...metrics.map(({ name, kind }, at) => {
      const column = figures(name, ({ values }: MappedTable['operators'][number]) => metricText(kind, values[at]));
      return at === 0 ? column : optional(column);
    }),
  ]);

function metricText(kind: TableMetric['kind'], value: number | undefined): string {
  if (kind === 'ratio') return value === undefined ? '' : value.toFixed(3);
  return value !== undefined && value >= 1000 ? count(value) : decimal(value);
}

const unmappedTable = ({ unmapped }: MappedTable): TableBlock =>
  table(unmapped.slice(0, UNMAPPED_SHOWN), [
    names('function', ({ symbol }) => symbol),
    names('library', ({ module }) => module),
    figures('share', ({ part }) => precisePercent(part)),
  ]);

function functionTable({ functions, capture }: FunctionMapping, top: number): TableBlock {
  const rows = capture.flatMap(({ operator }) =>
    functions
      .flatMap(({ symbol, module, owners }) =>
        owners.filter(owner => owner.operator === operator).map(({ hits, part }) => ({ symbol, module, hits, part })),
      )
      .sort((a, b) => b.hits - a.hits)
      .slice(0, top)
      .map((row, at) => ({ ...row, operator: at === 0 ? operator : '' })),
  );
  return table(rows, [
    names('operator', ({ operator }) => operator),
    figures('share', ({ part }) => precisePercent(part)),
    names('library', ({ module }) => module),
    names('function', ({ symbol }) => symbol),
  ]);
}
