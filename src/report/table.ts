import type { Canvas } from './canvas.ts';
import type { Cell, Column, TableBlock, Tone } from './tree.ts';
import { pad, textWidth, truncate } from './width.ts';

const GAP = 2;
const INDENT = 2;
/** Least width of a column of names, cells. */
const LEAST_NAME = 16;
/** Least width of a column of figures, cells. */
const LEAST = 3;

interface FittedColumn {
  readonly column: Column;
  readonly index: number;
  width: number;
}

/**
 * A table with aligned columns. Where the line is too narrow, names are cut first, then optional columns are left out
 * (and counted), and only then figures are cut.
 */
export function tableLines(block: TableBlock, canvas: Canvas): string[] {
  const titles = block.columns.map(column => canvas.clean(column.title));
  const rows = block.rows.map(row => row.map(cell => cleanCell(cell, canvas)));
  const columns = block.columns.map((column, index) => ({
    column,
    index,
    width: rows.reduce(
      (width, row) => Math.max(width, textWidth(row[index]?.text ?? '')),
      textWidth(titles[index] ?? ''),
    ),
  }));
  const shown = fitColumns(columns, canvas.width - INDENT);
  const line = (texts: (column: FittedColumn) => { text: string; tone?: Tone }): string =>
    ' '.repeat(INDENT) +
    shown
      .map(fitted => {
        const { text, tone } = texts(fitted);
        const cut = truncate(text, fitted.width, canvas.signs.ellipsis);
        return canvas.colour(tone, pad(cut, fitted.width, fitted.column.align));
      })
      .join(' '.repeat(GAP));

  const lines = [line(({ index }) => ({ text: titles[index] ?? '', tone: 'muted' }))];
  for (const row of rows) lines.push(line(({ index }) => row[index] ?? { text: '' }));
  const hidden = block.columns.filter((_, index) => shown.every(fitted => fitted.index !== index));
  if (hidden.length > 0) {
    const names = hidden.map(column => canvas.clean(column.title)).join(', ');
    lines.push(canvas.colour('muted', truncate(`  not shown here: ${names}`, canvas.width, canvas.signs.ellipsis)));
  }
  return lines;
}

function cleanCell(cell: Cell, canvas: Canvas): { text: string; tone?: Tone } {
  return typeof cell === 'string' ? { text: canvas.clean(cell) } : { ...cell, text: canvas.clean(cell.text) };
}

function fitColumns(columns: FittedColumn[], room: number): FittedColumn[] {
  const total = (list: readonly FittedColumn[]): number =>
    list.reduce((sum, { width }) => sum + width, GAP * (list.length - 1));
  const shrink = (list: readonly FittedColumn[], may: (c: FittedColumn) => boolean, least: number): void => {
    while (total(list) > room) {
      const widest = list
        .filter(c => may(c) && c.width > least)
        .reduce<FittedColumn | undefined>(
          (most, c) => (most === undefined || c.width > most.width ? c : most),
          undefined,
        );
      if (widest === undefined) return;
      widest.width--;
    }
  };
  const isName = (fitted: FittedColumn): boolean => fitted.column.align === 'left';
  let shown = columns;
  const leastTotal = (list: readonly FittedColumn[]): number =>
    total(list) - list.filter(isName).reduce((sum, { width }) => sum + Math.max(0, width - LEAST_NAME), 0);
  while (leastTotal(shown) > room) {
    const last = shown.findLast(fitted => fitted.column.optional === true);
    if (last === undefined) break;
    shown = shown.filter(fitted => fitted !== last);
  }
  shrink(shown, isName, LEAST_NAME);
  shrink(shown, () => true, LEAST);
  while (total(shown) > room && shown.length > 1) shown = shown.slice(0, -1);
  return shown;
}
