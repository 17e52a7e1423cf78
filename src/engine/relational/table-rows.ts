import { VenturiError } from '../../model/errors.ts';
import { badOption } from '../../model/option.ts';
import { MS_PER_DAY } from '../../model/units.ts';
import { givenEntries, kindOf } from './given.ts';
import { COLUMN_TYPES, type Column, type ColumnType, dayOf, dictionaryOf, isDay, type Table, table } from './table.ts';

/** Dictionaries pay where texts come again: at most one of so many rows has a text of its own. */
const ROWS_PER_TEXT = 2;

/**
 * A table of rows from elsewhere: of a run of any pipeline (`csv`, `parquet`, `jsonl` …), or a list. `types` names the columns that are wanted. Null,
 * undefined and, but for texts, empty fields are no value.
 */
export async function tableOf(
  name: string,
  rows: Iterable<object> | AsyncIterable<object>,
  types: Readonly<Record<string, ColumnType>>,
): Promise<Table> {
  const wanted = givenEntries(`tableOf '${name}'`, types, "{ id: 'number', city: 'string' }");
  for (const [column, type] of wanted) {
    if (!COLUMN_TYPES.has(type))
      throw badOption(
        `tableOf '${name}': the type of '${column}' is ${kindOf(type)}`,
        `give one of ${[...COLUMN_TYPES].join(', ')}`,
      );
  }
  if (!isIterable(rows))
    throw badOption(
      `tableOf '${name}': ${kindOf(rows)} has no rows`,
      'give a list of objects, or the elements of a run: definition.run()',
    );
  const builders = wanted.map(([column, type]) => new ColumnBuilder(name, column, type));
  for await (const row of rows) for (const builder of builders) builder.add(row);
  return table(name, Object.fromEntries(builders.map(builder => [builder.name, builder.column()])));
}

const isIterable = (rows: unknown): boolean =>
  typeof rows === 'object' && rows !== null && (Symbol.iterator in rows || Symbol.asyncIterator in rows);

/** Texts, with a dictionary where it pays. */
export function textColumn(texts: readonly string[]): Column {
  const listed = dictionaryOf(texts);
  const pays = (listed.dictionary?.length ?? 0) * ROWS_PER_TEXT <= texts.length;
  return pays ? listed : { type: 'string', data: texts };
}

class ColumnBuilder {
  readonly name: string;
  readonly #table: string;
  readonly #type: ColumnType;
  readonly #values: (number | string)[] = [];
  readonly #nulls: number[] = [];

  constructor(ofTable: string, name: string, type: ColumnType) {
    this.name = name;
    this.#table = ofTable;
    this.#type = type;
  }

  add(row: object): void {
    const { name } = this;
    if (typeof row !== 'object' || row === null) throw this.#bad(`is ${kindOf(row)}, and has no columns`);
    if (!(name in row)) throw this.#bad(`has no column '${name}'`);
    const value = (row as Readonly<Record<string, unknown>>)[name];
    const isNull = value === null || value === undefined || (value === '' && this.#type !== 'string');
    this.#nulls.push(isNull ? 1 : 0);
    this.#values.push(isNull ? (this.#type === 'string' ? '' : 0) : this.#read(value));
  }

  #read(value: unknown): number | string {
    switch (this.#type) {
      case 'string':
        if (typeof value === 'string') return value;
        break;
      case 'number':
        if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value);
        if (typeof value === 'number') return value;
        if (typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value))) return Number(value);
        break;
      case 'boolean':
        if (value === true || value === 'true') return 1;
        if (value === false || value === 'false') return 0;
        break;
      case 'date':
        if (value instanceof Date && !Number.isNaN(value.getTime())) return Math.floor(value.getTime() / MS_PER_DAY);
        if (typeof value === 'string' && isDay(value)) return dayOf(value);
        break;
    }
    throw this.#bad(
      `has ${typeof value === 'string' ? `'${value}'` : String(value)} in '${this.name}', which is no ${this.#type}`,
    );
  }

  #bad(what: string): VenturiError {
    return new VenturiError('VENTURI_BAD_RECORD', `row ${this.#values.length} of '${this.#table}' ${what}`, {
      remedy: 'give the column another type, or mend or leave out the row before it comes to the table',
    });
  }

  column(): Column {
    const nulls = this.#nulls.includes(1) ? { nulls: Uint8Array.from(this.#nulls) } : {};
    if (this.#type === 'string') {
      return { ...textColumn(this.#values as string[]), ...nulls };
    }
    const numbers = this.#values as number[];
    return {
      type: this.#type,
      data: this.#type === 'number' ? Float64Array.from(numbers) : Int32Array.from(numbers),
      ...nulls,
    };
  }
}
