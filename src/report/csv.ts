/** Value of a cell; undefined is an empty cell. */
export type CsvCell = string | number | boolean | undefined;

/** First characters that make a spreadsheet read a cell as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Line of a CSV file (RFC 4180, with a plain line feed). Texts may come out of a trace: one that would be a formula gets an
 * apostrophe, which makes a spreadsheet show it as text.
 */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\n`;

function csvCell(cell: CsvCell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  if (typeof cell === 'boolean') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Table of rows of any shape: members of a member become columns `outer.inner`. */
export function* csvTable(rows: readonly object[]): Generator<string, void, undefined> {
  const flat = rows.map(row => flatten(row));
  const columns = [...new Set(flat.flatMap(row => [...row.keys()]))];
  if (columns.length === 0) return;
  yield csvLine(columns);
  for (const row of flat) yield csvLine(columns.map(column => row.get(column)));
}

function flatten(value: object, prefix = '', into = new Map<string, CsvCell>()): Map<string, CsvCell> {
  for (const [key, inner] of Object.entries(value)) {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (typeof inner === 'object' && inner !== null) flatten(inner, name, into);
    else if (typeof inner === 'string' || typeof inner === 'number' || typeof inner === 'boolean')
      into.set(name, inner);
    else into.set(name, undefined);
  }
  return into;
}
