import type { SchemaElement } from 'hyparquet';
import type { ColumnSource } from 'hyparquet-writer';
import { nameOf } from './row-elements.ts';

/** What a column of a Parquet file can hold; every one may have nulls. */
export type ParquetType =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'float'
  | 'double'
  | 'timestamp'
  | 'date'
  | 'bytes'
  | 'json';

interface ColumnKind {
  readonly schema: Omit<SchemaElement, 'name'>;
  /** What is written for a value that is neither null nor undefined; undefined where the column cannot hold it. */
  readonly stored: (value: unknown) => unknown;
}

const LEAST_INT32 = -(2 ** 31);
const MOST_INT32 = 2 ** 31 - 1;
const LEAST_INT64 = -(2n ** 63n);
const MOST_INT64 = 2n ** 63n - 1n;

const isDate = (value: unknown): value is Date => value instanceof Date && !Number.isNaN(value.getTime());

function int64Of(value: unknown): bigint | undefined {
  const whole = Number.isSafeInteger(value) ? BigInt(value as number) : value;
  return typeof whole === 'bigint' && whole >= LEAST_INT64 && whole <= MOST_INT64 ? whole : undefined;
}

const KINDS: Readonly<Record<ParquetType, ColumnKind>> = {
  string: {
    schema: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    stored: value => (typeof value === 'string' ? value : undefined),
  },
  boolean: { schema: { type: 'BOOLEAN' }, stored: value => (typeof value === 'boolean' ? value : undefined) },
  int32: {
    schema: { type: 'INT32' },
    stored: value =>
      Number.isInteger(value) && (value as number) >= LEAST_INT32 && (value as number) <= MOST_INT32
        ? value
        : undefined,
  },
  int64: { schema: { type: 'INT64' }, stored: int64Of },
  float: { schema: { type: 'FLOAT' }, stored: value => (typeof value === 'number' ? value : undefined) },
  double: { schema: { type: 'DOUBLE' }, stored: value => (typeof value === 'number' ? value : undefined) },
  timestamp: {
    schema: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
    stored: value => (isDate(value) ? value : undefined),
  },
  date: { schema: { type: 'INT32', converted_type: 'DATE' }, stored: value => (isDate(value) ? value : undefined) },
  bytes: { schema: { type: 'BYTE_ARRAY' }, stored: value => (value instanceof Uint8Array ? value : undefined) },
  json: {
    schema: { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } },
    stored: value => JSON.stringify(value),
  },
};

export const isParquetType = (type: unknown): type is ParquetType => typeof type === 'string' && type in KINDS;

export const parquetTypes = (): string => Object.keys(KINDS).join(', ');

export const schemaOf = (columns: ReadonlyMap<string, ParquetType>): SchemaElement[] => [
  { name: 'root', num_children: columns.size },
  ...Array.from(
    columns,
    ([name, type]): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...KINDS[type].schema }),
  ),
];

/** What a column of this type holds of a value; throws where it cannot hold it. */
export function storedValue(column: string, type: ParquetType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const stored = KINDS[type].stored(value);
  if (stored !== undefined) return stored;
  throw new TypeError(`column '${column}' holds ${nameOf(value)}, and its type is ${type}`);
}

/** The type that holds a value as it is; undefined where that must be said. */
export function typeOf(column: string, value: unknown): ParquetType | undefined {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'double';
    case 'bigint':
      return 'int64';
    case 'boolean':
      return 'boolean';
    default:
      if (value === null || value === undefined) return undefined;
      if (isDate(value)) return 'timestamp';
      if (value instanceof Uint8Array) return 'bytes';
      throw new TypeError(
        `column '${column}' holds ${nameOf(value)}: keep it as text with columns: { ${JSON.stringify(column)}: 'json', … }, or make columns of it`,
      );
  }
}

/** A column as the package wants it: it makes text of JSON itself, and does not heed a toJSON. */
export const columnOf = (name: string, type: ParquetType, stored: unknown[]): ColumnSource => ({
  name,
  data: type === 'json' ? stored.map(text => (typeof text === 'string' ? JSON.parse(text) : null)) : stored,
});

const SLOT_BYTES = 8;
const OBJECT_BYTES = 24;

/** Bytes a value takes up until it is written, about. */
export function weightOf(stored: unknown): number {
  if (typeof stored === 'string' || stored instanceof Uint8Array) return SLOT_BYTES + OBJECT_BYTES + stored.length;
  return typeof stored === 'object' || typeof stored === 'bigint' ? SLOT_BYTES + OBJECT_BYTES : SLOT_BYTES;
}
