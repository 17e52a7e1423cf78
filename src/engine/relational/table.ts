import { badOption } from '../../model/option.ts';
import { MS_PER_DAY } from '../../model/units.ts';
import { givenEntries } from './given.ts';

/** Dates are whole days since 1970-01-01. */
export type ColumnType = 'number' | 'date' | 'string' | 'boolean';

export type NumberArray =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;

/** A column of a table: values, or with a dictionary the places of texts in it. */
export interface Column {
  readonly type: ColumnType;
  readonly data: NumberArray | readonly string[];
  /** Texts, each once. */
  readonly dictionary?: readonly string[];
  /** 1 where there is no value. */
  readonly nulls?: Uint8Array;
}

export interface Table {
  readonly name: string;
  readonly rows: number;
  readonly columns: Readonly<Record<string, Column>>;
}

/** A column as its author may give it: an array of numbers, of texts, or a column that says what it is. */
export type ColumnData = NumberArray | readonly string[] | Column;

/** A table of typed arrays. */
export function table(name: string, columns: Readonly<Record<string, ColumnData>>): Table {
  const checked = Object.fromEntries(
    givenEntries(`the table '${name}'`, columns, '{ id: Int32Array.of(1, 2) }').map(([column, data]) => [
      column,
      checkedColumn(name, column, data),
    ]),
  );
  const lengths = Object.entries(checked).map(([column, { data }]) => ({ column, length: data.length }));
  const [first, ...others] = lengths;
  if (first === undefined) throw badOption(`the table '${name}' has no columns`, 'give it at least one');
  const other = others.find(({ length }) => length !== first.length);
  if (other !== undefined) {
    throw badOption(
      `the table '${name}' has ${first.length} values in '${first.column}' and ${other.length} in '${other.column}'`,
      'give every column a value for every row',
    );
  }
  return { name, rows: first.length, columns: checked };
}

/** Texts with each different one kept once: what is compared with a constant is then compared once for each of them. */
export function dictionaryOf(values: readonly string[]): Column {
  const places = new Map<string, number>();
  const data = Int32Array.from(values, value => {
    const place = places.get(value) ?? places.size;
    places.set(value, place);
    return place;
  });
  return { type: 'string', data, dictionary: [...places.keys()] };
}

const isNumbers = (data: unknown): data is NumberArray =>
  ArrayBuffer.isView(data) &&
  !(data instanceof DataView) &&
  !(data instanceof BigInt64Array || data instanceof BigUint64Array);

function checkedColumn(table: string, name: string, given: ColumnData): Column {
  const where = `column '${name}' of '${table}'`;
  refuseBigIntegers(where, given);
  if (isNumbers(given)) return { type: 'number', data: given };
  if (Array.isArray(given)) return checkedTexts(where, { type: 'string', data: given });
  const column = given as Column;
  const isColumn =
    typeof column === 'object' && column !== null && COLUMN_TYPES.has(column.type) && isList(column.data);
  if (!isColumn) {
    throw badOption(
      `${where} is no column`,
      `give a typed array, an array of texts, or { type, data } with a type of ${[...COLUMN_TYPES].join(', ')}`,
    );
  }
  const { type, data, dictionary, nulls } = column;
  refuseBigIntegers(where, data);
  if (nulls !== undefined && nulls.length !== data.length) {
    throw badOption(
      `${where} says of ${nulls.length} rows whether there is a value, of ${data.length}`,
      'give one byte a row',
    );
  }
  if (nulls !== undefined) refuseOthers(`the list of nulls of ${where}`, nulls);
  if (dictionary !== undefined) return checkedDictionary(where, column, dictionary);
  if (type === 'string') return checkedTexts(where, column);
  if (type === 'boolean') refuseOthers(where, data);
  if (type === 'date') refuseNoDays(where, column);
  if (isNumbers(data)) return column;
  throw badOption(
    `${where} is of type ${type}, and its data are no typed array`,
    'give an Int32Array or a Float64Array',
  );
}

export const COLUMN_TYPES: ReadonlySet<unknown> = new Set<ColumnType>(['number', 'date', 'string', 'boolean']);

const isList = (data: unknown): boolean =>
  Array.isArray(data) || (ArrayBuffer.isView(data) && !(data instanceof DataView));

/** Numbers of 64 bits: JavaScript computes with them apart, and not all fit into a number. */
function refuseBigIntegers(where: string, data: unknown): void {
  if (!(data instanceof BigInt64Array || data instanceof BigUint64Array)) return;
  throw badOption(
    `${where} is a ${data.constructor.name}`,
    'give Float64Array.from(values, Number), exact up to 2^53; or the numbers as texts, where they are only compared',
  );
}

/** True and false are 1 and 0: generated code compares with them. */
function refuseOthers(where: string, data: Column['data']): void {
  const at = isNumbers(data) ? data.findIndex(value => value !== 0 && value !== 1) : -1;
  if (at >= 0) throw badOption(`row ${at} of ${where} is ${data[at]}`, 'give 1 for true and 0 for false');
}

/** Days are whole, and as far away as JavaScript's dates go. */
function refuseNoDays(where: string, { data, nulls }: Column): void {
  if (!isNumbers(data)) return;
  const at = data.findIndex(
    (day, row) => !(Number.isInteger(day) && Math.abs(day) <= FURTHEST_DAY) && nulls?.[row] !== 1,
  );
  if (at >= 0)
    throw badOption(`row ${at} of ${where} is ${data[at]}, which is no day`, 'give whole days since 1970: dayOf(text)');
}

function checkedTexts(where: string, column: Column): Column {
  const at = (column.data as readonly unknown[]).findIndex(value => typeof value !== 'string');
  if (at < 0 && !isNumbers(column.data)) return column;
  throw badOption(
    `${where} is of texts, and its row ${Math.max(0, at)} is none`,
    'give an array of texts, with nulls apart',
  );
}

function checkedDictionary(where: string, column: Column, dictionary: readonly string[]): Column {
  if (column.type !== 'string' || !isNumbers(column.data)) {
    throw badOption(
      `${where} has a dictionary, and is not of places in it`,
      "give { type: 'string', data: Int32Array, dictionary }",
    );
  }
  if (new Set(dictionary).size !== dictionary.length) {
    throw badOption(`the dictionary of ${where} has a text twice`, 'give each text once');
  }
  const outside = column.data.findIndex(place => !Number.isInteger(place) || place < 0 || place >= dictionary.length);
  if (outside < 0) return column;
  throw badOption(
    `row ${outside} of ${where} has place ${column.data[outside]} of ${dictionary.length} in its dictionary`,
    'give places from 0 on',
  );
}

const FURTHEST_DAY = 1e8;

/** The day of a date written as `1995-03-15`. */
export function dayOf(text: string): number {
  if (isDay(text)) return dayNumber(text);
  throw badOption(`'${text}' is no date`, 'write it as 1995-03-15');
}

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = dayNumber(text);
  return Number.isInteger(day) && dateOf(day) === text;
}

const dayNumber = (text: string): number => Date.parse(`${text}T00:00:00Z`) / MS_PER_DAY;

/** `1995-03-15`; years of more than four digits have a sign. */
export function dateOf(day: number): string {
  if (!(Math.abs(day) <= FURTHEST_DAY))
    throw badOption(`day ${day} is beyond all dates`, 'there are 100,000,000 days before and behind 1970');
  return new Date(day * MS_PER_DAY).toISOString().replace(/T.*$/, '');
}
