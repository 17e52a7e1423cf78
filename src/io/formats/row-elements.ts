import { VenturiError } from '../../model/errors.ts';

/** The names of the columns that elements of type T may have. */
export type ColumnOf<T> = unknown extends T
  ? string
  : T extends readonly unknown[]
    ? string
    : T extends object
      ? string & keyof T
      : string;

/** An element as a row: its properties are columns. */
export function recordOf(element: unknown): Readonly<Record<string, unknown>> {
  if (typeof element === 'object' && element !== null) return element as Record<string, unknown>;
  throw new TypeError(`${nameOf(element)} is not an object, whose properties would be columns`);
}

/** Properties that no column takes would be left out without a word. */
export function checkKeys(record: object, columns: { has(name: string): boolean }): void {
  for (const key of Object.keys(record)) {
    if (columns.has(key)) continue;
    throw new TypeError(`column '${key}' was not there before: name all columns, or those you want, in columns`);
  }
}

/** Columns that were named: at least one, each once. */
export function checkColumns(operator: string, columns: readonly string[]): void {
  const twice = columns.find((name, at) => columns.indexOf(name) < at);
  if (columns.length > 0 && twice === undefined) return;
  const what = twice === undefined ? 'columns is empty' : `columns has '${twice}' twice`;
  throw new VenturiError('VENTURI_BAD_OPTION', `${operator}: ${what}`, {
    remedy: 'name each column once, or leave columns out to write all that the elements have',
  });
}

/** What kind of value it is, for a message. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid date' : 'a Date';
  if (value instanceof Uint8Array) return 'bytes';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'string' ? 'text' : `the ${typeof value} ${String(value)}`;
}
