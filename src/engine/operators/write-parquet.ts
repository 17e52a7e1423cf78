import { CODECS, type Package, type ParquetCompression, ParquetTable } from '../../io/formats/parquet-table.ts';
import { isParquetType, type ParquetType, parquetTypes } from '../../io/formats/parquet-values.ts';
import { checkColumns, recordOf } from '../../io/formats/row-elements.ts';
import { FileOutput } from '../../io/storage/write-file.ts';
import { VenturiError } from '../../model/errors.ts';
import { badOption } from '../../model/option.ts';
import type { Operator } from './defined.ts';

export type { ParquetCompression } from '../../io/formats/parquet-table.ts';
export type { ParquetType } from '../../io/formats/parquet-values.ts';

export interface WriteParquetOptions<C extends string = string> {
  /** What to call it in tables, plans and `--set`. Unique in the pipeline. */
  readonly name?: string;
  /**
   * Only these, in this order, of these types. Absent: those of the first row group's elements, of whose values numbers become
   * double, bigints int64, dates timestamp; then all elements must have the same.
   */
  readonly columns?: Readonly<Partial<Record<C, ParquetType>>>;
  /** snappy unless told otherwise. zstd needs Node 22.15 or newer. */
  readonly compression?: ParquetCompression;
  /** Values of about this many bytes become a row group; they wait in memory until then. 8 MiB unless told otherwise. */
  readonly rowGroupBytes?: number;
}

const ROW_GROUP_BYTES = 8 * 2 ** 20;
export function parquetTo<T>(path: string, options: WriteParquetOptions): Operator<T, never> {
  const { columns, compression = 'snappy', rowGroupBytes = ROW_GROUP_BYTES } = options;
  const given = columns === undefined ? undefined : checkedTypes(columns);
  checkCompression(compression);
  if (!(rowGroupBytes > 0)) {
    throw badOption(`writeParquet: rowGroupBytes is ${rowGroupBytes}`, 'give a number of bytes, such as 8 * 2 ** 20');
  }
  let loaded: Package | undefined;
  return {
    kind: 'writeParquet',
    settings: { path, columns, compression, rowGroupBytes },
    sink: true,
    harmless: true,
    // Loaded by those who use it: to import it takes tens of milliseconds.
    async prepare() {
      loaded = await import('hyparquet-writer');
    },
    open(worker) {
      if (loaded === undefined) throw new Error('opened before it was prepared');
      const file = new FileOutput(path, worker);
      const table = new ParquetTable(loaded, file, compression, given);
      return {
        element(value) {
          table.add(recordOf(value));
          if (table.bytes >= rowGroupBytes) table.endGroup();
          return [];
        },
        end() {
          table.finish();
          file.commit();
          return [];
        },
        close: () => file.abandon(),
      };
    },
  };
}

function checkedTypes(columns: Readonly<Record<string, unknown>>): Map<string, ParquetType> {
  const types = new Map<string, ParquetType>();
  for (const [name, type] of Object.entries(columns)) {
    if (!isParquetType(type)) {
      throw badOption(`writeParquet: column '${name}' has the type ${String(type)}`, `give one of ${parquetTypes()}`);
    }
    types.set(name, type);
  }
  checkColumns('writeParquet', [...types.keys()]);
  return types;
}

function checkCompression(compression: ParquetCompression): void {
  const known = Object.keys(CODECS);
  if (!known.includes(compression)) {
    throw badOption(`writeParquet: compression is ${String(compression)}`, `give one of ${known.join(', ')}`);
  }
  if (compression !== 'zstd' || CODECS.zstd.compress !== undefined) return;
  throw new VenturiError('VENTURI_CODEC_MISSING', `writeParquet: Node ${process.versions.node} cannot write zstd`, {
    remedy: 'use Node 22.15 or newer, or compression: gzip, which every Node writes',
  });
}
