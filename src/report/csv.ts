import type { FlatCell } from './flat-rows.ts';

/** First characters that make a spreadsheet read a cell as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Line of a CSV file (RFC 4180, with a plain line feed). Texts may come out of a trace: one that would be a formula gets an
 * apostrophe, which makes a spreadsheet show it as text.
 */
export const csvLine = (cells: readonly FlatCell[]): string => `${cells.map(csvCell).join(',')}\n`;

function csvCell(cell: FlatCell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  if (typeof cell === 'boolean') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
