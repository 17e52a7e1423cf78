import type { Cell, Column, TableBlock } from './tree.ts';

/** A column, and its cell in a row; `index` counts rows from 0. */
export interface ColumnOf<Row> {
  readonly column: Column;
  readonly cell: (row: Row, index: number) => Cell;
}

/** Names stand at the left, and are cut where the line is too narrow. */
export const names = <Row>(title: string, cell: ColumnOf<Row>['cell']): ColumnOf<Row> => ({
  column: { title, align: 'left' },
  cell,
});

/** Figures stand at the right, below each other. */
export const figures = <Row>(title: string, cell: ColumnOf<Row>['cell']): ColumnOf<Row> => ({
  column: { title, align: 'right' },
  cell,
});

/** A column that is left out where the line is too narrow for all. */
export const optional = <Row>({ column, cell }: ColumnOf<Row>): ColumnOf<Row> => ({
  column: { ...column, optional: true },
  cell,
});

/** A table of `rows`; a column that is `false` is left out. */
export function table<Row>(rows: readonly Row[], columns: readonly (ColumnOf<Row> | false)[]): TableBlock {
  const shown = columns.filter(column => column !== false);
  return {
    type: 'table',
    columns: shown.map(({ column }) => column),
    rows: rows.map((row, index) => shown.map(({ cell }) => cell(row, index))),
  };
}
