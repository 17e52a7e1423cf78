import type { Cell, Column, TableBlock } from '../tree.ts';
import { escapeHtml } from './escape.ts';

/** Rows of a table that a person may still look through. */
export const MOST_ROWS = 1000;

/** A table whose first column names its rows. It can be scrolled sideways where the screen is narrower. */
export function tableElement({ columns, rows }: TableBlock, mostRows: number): string {
  const head = columns.map(column => `<th scope="col"${side(column)}>${escapeHtml(column.title)}</th>`).join('');
  const body = rows
    .slice(0, mostRows)
    .map(row => `<tr>${columns.map((column, at) => cellElement(row[at] ?? '', column, at === 0)).join('')}</tr>`);
  return (
    `<div class="scroll" tabindex="0" role="group" aria-label="table">\n<table>\n<thead><tr>${head}</tr></thead>\n` +
    `<tbody>\n${body.join('\n')}\n</tbody>\n</table>\n</div>${rowsLeftOut(rows.length, mostRows)}`
  );
}

/** What a reader is told of rows that are not shown. */
export const rowsLeftOut = (rows: number, mostRows: number): string =>
  rows <= mostRows ? '' : `\n<p class="muted">${rows - mostRows} more rows are not shown here.</p>`;

const side = ({ align }: Column): string => (align === 'right' ? ' class="figure"' : '');

function cellElement(cell: Cell, column: Column, isName: boolean): string {
  const { text, tone } = typeof cell === 'string' ? { text: cell } : cell;
  const inner = tone === undefined ? escapeHtml(text) : `<span class="${tone}">${escapeHtml(text)}</span>`;
  return isName ? `<th scope="row"${side(column)}>${inner}</th>` : `<td${side(column)}>${inner}</td>`;
}
