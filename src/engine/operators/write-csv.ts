import { checkColumns, checkKeys, nameOf, recordOf } from '../../io/formats/row-elements.ts';
import { badOption } from '../../model/option.ts';
import type { Operator } from './defined.ts';
import { type LineFormat, lineFile } from './write-file.ts';

/** What a field can hold. null and undefined become an empty field, a Date its ISO form. */
export type CsvField = string | number | bigint | boolean | Date | null | undefined;

export interface WriteCsvOptions<C extends string = string> {
  /** What to call it in tables, plans and `--set`. Unique in the pipeline. */
  readonly name?: string;
  /** Only these, in this order. Absent: the first element's, which all others must have too. */
  readonly columns?: readonly C[];
  /** One ASCII character; a comma unless told otherwise. */
  readonly delimiter?: string;
  /** false: no line with the columns' names. Arrays have one only where `columns` names their fields. */
  readonly header?: boolean;
}

export function csvTo<T>(
  path: string,
  { columns, delimiter = ',', header = true }: WriteCsvOptions,
): Operator<T, never> {
  if (typeof delimiter !== 'string' || !/^[^\n\r"]$/.test(delimiter) || delimiter.charCodeAt(0) > 127) {
    throw badOption(
      `writeCsv: delimiter is '${delimiter}'`,
      'give one ASCII character, and neither a quote nor a line end',
    );
  }
  if (columns !== undefined) checkColumns('writeCsv', columns);
  return lineFile('writeCsv', { path, columns, delimiter, header }, () => csvLines(columns, delimiter, header));
}

function csvLines<T>(given: readonly string[] | undefined, delimiter: string, header: boolean): LineFormat<T> {
  // A field must not look like the end of another, or like a byte order mark at the beginning of the file.
  const special = new RegExp(`[${`\\x${delimiter.charCodeAt(0).toString(16).padStart(2, '0')}`}"\\n\\r]|^\\ufeff`);
  const quoted = (text: string): string => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (fields: readonly unknown[], columns: readonly string[] | undefined): string => {
    let text = '';
    for (let at = 0; at < fields.length; at++) {
      if (at > 0) text += delimiter;
      text += quoted(textOf(fields[at], columns?.[at] ?? at));
    }
    // A blank line is no row.
    return text === '' ? '""' : text;
  };
  let columns = given;
  let known = new Set(given);
  /** Fields of an array where no columns were named. */
  let width: number | undefined;
  const row = (element: unknown): string => {
    if (Array.isArray(element)) {
      width ??= columns?.length ?? element.length;
      if (element.length === width && width > 0) return line(element, columns);
      throw new TypeError(`an array of ${element.length} fields cannot be a row of ${width}`);
    }
    const record = recordOf(element);
    if (columns === undefined && width === undefined) {
      columns = Object.keys(record);
      known = new Set(columns);
      if (columns.length === 0)
        throw new TypeError('an object without properties has no columns: name them in columns');
      const first = line(Object.values(record), columns);
      return header ? `${line(columns, undefined)}\n${first}` : first;
    }
    if (columns === undefined) throw new TypeError('an object follows arrays, which have no names for its columns');
    if (given === undefined) checkKeys(record, known);
    return line(
      columns.map(name => record[name]),
      columns,
    );
  };
  return { line: row, ...(given !== undefined && header && { head: `${line(given, undefined)}\n` }) };
}

function textOf(value: unknown, column: string | number): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'undefined':
      return '';
    default:
      if (value === null) return '';
      if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
      throw new TypeError(
        `column '${column}' holds ${nameOf(value)}, which is no field: make text of it in a map before, such as JSON.stringify`,
      );
  }
}
