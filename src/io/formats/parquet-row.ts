/** Values of a column, decoded. */
export type Column = ArrayLike<unknown>;

/** Row number → row. */
export type BuildRow = (row: number) => Record<string, unknown>;

/**
 * Makes objects of columns. An object literal of known keys is generated for them, since all rows then have one shape
 * from the start. A missing list and a missing number are told apart by the decoder; here both are null.
 */
export function rowBuilder(names: readonly string[]): (columns: readonly Column[]) => BuildRow {
  const fields = names.map((name, at) => `[${JSON.stringify(name)}]: columns[${at}][row] ?? null`);
  return new Function('columns', `return row => ({ ${fields.join(', ')} });`) as (
    columns: readonly Column[],
  ) => BuildRow;
}
