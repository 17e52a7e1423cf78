import { VenturiError } from '../../model/errors.ts';
import type { FunctionTable, TableMetric } from '../../model/function-table.ts';
import { delimitedRows } from './delimited.ts';
import { fileName } from './sample.ts';

const FUNCTION = /^(?:source function\b.*|function|function name|functions?)$/i;
const MODULE = /^module(?: name)?$/i;
/** Columns that say what a function is, not what it cost. */
const DESCRIPTION =
  /^(?:function \(full\)|source file|source line|start address|(?:module )?path|module path|address|pid|process|thread|call ?stack|class|package)\b/i;
/** Metrics of VTune and uProf that are shares or rates of a function by itself. */
const RATIO =
  /\brate\b|bound\b|ratio|retiring|speculation|utili[sz]ation|\bipc\b|\bcpi\b|bandwidth|latency|dram\b|%|percent|\bpti\b|frequency/i;

/**
 * Reads totals per native function out of VTune (`-report hotspots -format csv`, or what its window copies) or AMD uProf (the
 * table of hottest functions in its report). The table begins with the line that has a column of functions and ends with an
 * empty line.
 */
export function parseFunctionTable(text: string, path: string): FunctionTable {
  const rows = delimitedRows(text.replace(/^\uFEFF/, ''));
  const isHead = (row: readonly string[]): boolean => row.length > 1 && row.some(cell => FUNCTION.test(cell));
  const hottest = rows.findIndex(row => /HOTTEST FUNCTIONS/i.test(row[0] ?? ''));
  const head = rows.findIndex((row, at) => at > hottest && isHead(row));
  const titles = rows[head];
  if (titles === undefined) throw unreadable(path);
  const symbolAt = titles.findIndex(cell => FUNCTION.test(cell));
  const moduleAt = titles.findIndex(cell => MODULE.test(cell));
  const body: string[][] = [];
  for (const row of rows.slice(head + 1)) {
    if (row.every(cell => cell === '')) break;
    if ((row[symbolAt] ?? '') !== '') body.push(row);
  }
  const columns = titles.flatMap((name, at) => {
    if (at === symbolAt || at === moduleAt || name === '' || DESCRIPTION.test(name)) return [];
    const cells = body.map(row => row[at] ?? '').filter(cell => cell !== '');
    if (!cells.some(cell => !Number.isNaN(numberOf(cell)))) return [];
    const kind: TableMetric['kind'] = RATIO.test(name) || cells.some(cell => cell.endsWith('%')) ? 'ratio' : 'total';
    return [{ at, metric: { name, kind } }];
  });
  return {
    metrics: columns.map(({ metric }) => metric),
    rows: body.map(row => ({
      symbol: row[symbolAt] ?? '',
      module: moduleOf(row[moduleAt]),
      values: columns.map(({ at }) => numberOf(row[at] ?? '')),
    })),
  };
}

const SCALES: Readonly<Record<string, number>> = {
  ...{ ms: 1e-3, us: 1e-6, µs: 1e-6, '%': 0.01 },
  ...{ khz: 1e3, mhz: 1e6, ghz: 1e9 },
};

/** Windows that group by function do not tell the file. */
const moduleOf = (cell = ''): string => (/^\[unknown\]$/i.test(cell) ? '' : fileName(cell));

/** `0.010s`, `12.5 ms`, `1,234,567`, `12.3%` as seconds, numbers and shares. */
function numberOf(cell: string): number {
  const [, digits = '', unit = ''] =
    /^([-+]?[\d.,]+(?:e[-+]?\d+)?)\s*(s|ms|us|µs|%|[kmg]?hz)?$/i.exec(cell.trim()) ?? [];
  if (digits === '') return Number.NaN;
  // A comma parts thousands, unless it is the only mark and not before three digits.
  const plain = /^[-+]?\d+,\d{1,2}$|^[-+]?\d+,\d{4,}$/.test(digits)
    ? digits.replace(',', '.')
    : digits.replaceAll(',', '');
  return Number(plain) * (SCALES[unit.toLowerCase()] ?? 1);
}

const unreadable = (path: string): VenturiError =>
  new VenturiError(
    'VENTURI_SAMPLES_UNREADABLE',
    `${path} is not a table of functions: no line has a column 'Function'.`,
    {
      remedy: 'Export one: vtune -report hotspots -format csv -csv-delimiter comma, or the report of AMDuProfCLI.',
    },
  );
