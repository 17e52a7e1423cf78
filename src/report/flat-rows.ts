/** Value of a cell; undefined is an empty cell. */
export type FlatCell = string | number | boolean | undefined;

/** Rows of any shape as a table: members of a member become columns `outer.inner`. */
export interface FlatRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly FlatCell[])[];
}

export function flatRows(rows: readonly object[]): FlatRows {
  const flat = rows.map(row => flatten(row));
  const columns = [...new Set(flat.flatMap(row => [...row.keys()]))];
  return { columns, rows: flat.map(row => columns.map(column => row.get(column))) };
}

function flatten(value: object, prefix = '', into = new Map<string, FlatCell>()): Map<string, FlatCell> {
  for (const [key, inner] of Object.entries(value)) {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (typeof inner === 'object' && inner !== null) flatten(inner, name, into);
    else if (typeof inner === 'string' || typeof inner === 'number' || typeof inner === 'boolean')
      into.set(name, inner);
    else into.set(name, undefined);
  }
  return into;
}
