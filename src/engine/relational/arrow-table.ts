import { badOption } from '../../model/option.ts';
import { MS_PER_DAY } from '../../model/units.ts';
import { type Column, type Table, table } from './table.ts';
import { textColumn } from './table-rows.ts';

/** What is used of an Arrow vector, as the package `apache-arrow` has it. */
export interface ArrowVector {
  readonly length: number;
  readonly nullCount: number;
  readonly type: { readonly typeId: number; readonly bitWidth?: number; toString(): string };
  /** Of numbers: their typed array, whatever it has where there is none. */
  toArray(): unknown;
  get(row: number): unknown;
}

/** What is used of an Arrow table or record batch. */
export interface ArrowTable {
  readonly numRows: number;
  readonly schema: { readonly fields: readonly { readonly name: string }[] };
  getChild(name: string): ArrowVector | null;
}

/** Numbers of types in Arrow's format (Schema.fbs), and of dictionaries in its JavaScript package. */
const ARROW = { int: 2, float: 3, utf8: 5, bool: 6, date: 8, largeUtf8: 20, dictionary: -1 } as const;

/** A table of an Arrow table: `arrowTable('sales', tableFromIPC(bytes))`. Numbers of up to 32 bits and floats are not copied. */
export function arrowTable(name: string, arrow: ArrowTable): Table {
  if (typeof arrow?.getChild !== 'function' || !Array.isArray(arrow.schema?.fields))
    throw badOption(`'${name}' is no Arrow table`, 'give what tableFromIPC of apache-arrow returns');
  return table(
    name,
    Object.fromEntries(
      arrow.schema.fields.map(field => {
        const vector = arrow.getChild(field.name);
        if (vector === null)
          throw badOption(`'${name}' has no column '${field.name}'`, 'give a table with all its columns');
        return [field.name, columnOf(`column '${field.name}' of '${name}'`, vector)];
      }),
    ),
  );
}

function columnOf(where: string, vector: ArrowVector): Column {
  const nulls = nullsOf(vector);
  const cells = (): unknown[] => Array.from({ length: vector.length }, (_, row) => vector.get(row));
  const { typeId, bitWidth = 0 } = vector.type;
  switch (typeId) {
    case ARROW.int:
      return { type: 'number', data: bitWidth > 32 ? wideNumbers(where, cells()) : numbersOf(where, vector), ...nulls };
    case ARROW.float:
      return { type: 'number', data: numbersOf(where, vector), ...nulls };
    case ARROW.bool:
      return { type: 'boolean', data: Uint8Array.from(cells(), cell => (cell === true ? 1 : 0)), ...nulls };
    case ARROW.date:
      return { type: 'date', data: Int32Array.from(cells(), cell => Math.floor(Number(cell) / MS_PER_DAY)), ...nulls };
    case ARROW.utf8:
    case ARROW.largeUtf8:
    case ARROW.dictionary: {
      const texts = cells().map(cell => cell ?? '');
      const at = texts.findIndex(text => typeof text !== 'string');
      if (at < 0) return { ...textColumn(texts as string[]), ...nulls };
      throw refused(where, vector);
    }
    default:
      throw refused(where, vector);
  }
}

const refused = (where: string, { type }: ArrowVector): Error =>
  badOption(
    `${where} is of Arrow's type ${String(type)}`,
    'give integers, floats, booleans, texts or dates, or leave it out',
  );

function nullsOf(vector: ArrowVector): { readonly nulls?: Uint8Array } {
  if (vector.nullCount === 0) return {};
  return { nulls: Uint8Array.from({ length: vector.length }, (_, row) => (vector.get(row) === null ? 1 : 0)) };
}

function numbersOf(where: string, vector: ArrowVector): Float64Array {
  const data = vector.toArray();
  // Halves come as the bits of their numbers.
  if (ArrayBuffer.isView(data) && !(data instanceof Uint16Array && vector.type.typeId === ARROW.float))
    return data as Float64Array;
  throw refused(where, vector);
}

function wideNumbers(where: string, cells: readonly unknown[]): Float64Array {
  return Float64Array.from(cells, (cell, row) => {
    const number = Number(cell ?? 0);
    if (Number.isSafeInteger(number)) return number;
    throw badOption(`row ${row} of ${where} is ${String(cell)}, which no number holds exactly`, 'give it as a text');
  });
}
