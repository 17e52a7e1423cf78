import type { ParquetType } from '../../io/formats/parquet-values.ts';
import { type FlatCell, flatRows } from '../../report/flat-rows.ts';

/** A table of a run, whose rows come one by one. */
export interface ExportTable {
  readonly name: string;
  readonly columns: ReadonlyMap<string, ParquetType>;
  rows(): Iterable<readonly FlatCell[]>;
}

/** A table of rows in memory; none where there is no row. */
export function smallTable(name: string, of: readonly object[]): ExportTable[] {
  const { columns, rows } = flatRows(of);
  if (columns.length === 0) return [];
  const typed = columns.map((column, at) => [column, typeOf(rows.map(row => row[at]))] as const);
  return [{ name, columns: new Map(typed), rows: () => rows }];
}

/** The type that holds all values of a column. */
function typeOf(cells: readonly FlatCell[]): ParquetType {
  const types = new Set(cells.flatMap(cell => (cell === undefined ? [] : [typeof cell])));
  if (types.size !== 1) return 'string';
  if (types.has('number')) return 'double';
  return types.has('boolean') ? 'boolean' : 'string';
}
