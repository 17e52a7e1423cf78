import {
  type ColumnMetaData,
  type FileMetaData,
  type ParquetScan,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
} from 'hyparquet';
import { getSchemaPath } from 'hyparquet/src/schema.js';
import { VenturiError } from '../../model/errors.ts';
import type { RandomAccess, Storage } from '../storage/storage.ts';
import { ParquetBytes } from './parquet-bytes.ts';
import { ParquetPages } from './parquet-pages.ts';
import type { Column } from './parquet-row.ts';

/** An open Parquet file: its columns and row groups. */
export class ParquetFile {
  readonly columns: readonly string[];
  /** Rows of each row group. */
  readonly groups: readonly number[];
  readonly #path: string;
  readonly #file: RandomAccess;
  readonly #bytes: ParquetBytes;
  readonly #pages: ParquetPages;
  readonly #scan: ParquetScan;
  /** Rows before each row group, and in all. */
  readonly #starts: number[] = [0];

  private constructor(path: string, file: RandomAccess, decoder: Decoder) {
    this.#path = path;
    this.#file = file;
    this.#bytes = decoder.bytes;
    this.#pages = decoder.pages;
    this.#scan = decoder.scan;
    this.columns = decoder.columns;
    this.groups = decoder.scan.metadata.row_groups.map(({ num_rows }) => Number(num_rows));
    for (const rows of this.groups) this.#starts.push((this.#starts.at(-1) ?? 0) + rows);
  }

  static async open(path: string, chosen: readonly string[] | undefined, storage: Storage): Promise<ParquetFile> {
    const file = storage.open(path);
    try {
      return new ParquetFile(path, file, await damaged(path, 'it', () => prepare(path, file, chosen)));
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** The columns of row group `group`, decoded one after the other. */
  async readGroup(group: number): Promise<Column[]> {
    const rowStart = this.#starts[group] ?? 0;
    const rowEnd = this.#starts[group + 1] ?? 0;
    const columns: Column[] = [];
    for (const column of this.columns) {
      const where = `column '${column}' of row group ${group} (rows ${rowStart}-${rowEnd - 1})`;
      columns.push(await damaged(this.#path, where, () => this.#readColumn(group, column, rowStart, rowEnd)));
    }
    return columns;
  }

  async #readColumn(group: number, column: string, rowStart: number, rowEnd: number): Promise<Column> {
    this.#check(group, column);
    const values: Column = await this.#scan.readColumn({ column, rowStart, rowEnd });
    this.#pages.forget();
    this.#bytes.forget();
    if (values.length === rowEnd - rowStart) return values;
    throw new Error(`it has ${values.length} values`);
  }

  /** A column of lists or structures is stored as several, side by side. */
  #check(group: number, column: string): void {
    const { schema, row_groups } = this.#scan.metadata;
    const stored = (row_groups[group]?.columns ?? []).flatMap(({ meta_data }) =>
      meta_data?.path_in_schema[0] === column ? [meta_data] : [],
    );
    const ranges = stored.map(rangeOf);
    this.#bytes.hold(Math.min(...ranges.map(([start]) => start)), Math.max(...ranges.map(([, end]) => end)));
    for (const meta of stored) {
      this.#pages.check(this.#bytes.held(...rangeOf(meta)), meta, getSchemaPath(schema, meta.path_in_schema));
    }
  }

  /** Share of the rows up to row `row` of row group `group`. */
  share(group: number, row: number): number {
    return ((this.#starts[group] ?? 0) + row) / Math.max(1, this.#starts.at(-1) ?? 0);
  }

  close(): void {
    this.#file.close();
  }
}

interface Decoder {
  readonly bytes: ParquetBytes;
  readonly pages: ParquetPages;
  readonly scan: ParquetScan;
  readonly columns: readonly string[];
}

/** Bytes are neither guessed to be text nor to be shapes on a map. */
const AS_STORED = { utf8: false, geoparquet: false };

async function prepare(path: string, file: RandomAccess, chosen: readonly string[] | undefined): Promise<Decoder> {
  if (file.size < 12) throw new Error(`${file.size} bytes are too few`);
  const bytes = new ParquetBytes(file);
  const pages = new ParquetPages();
  const metadata: FileMetaData = await parquetMetadataAsync(bytes, { geoparquet: false });
  checkSchema(metadata);
  const all = parquetSchema(metadata).children.map(({ element }) => element.name);
  const columns = chosen ?? all;
  checkColumns(columns, all, path);
  const { compressors } = pages;
  const scan = await parquetScan({ file: bytes, metadata, columns: [...columns], compressors, ...AS_STORED });
  return { bytes, pages, scan, columns };
}

/** The schema is a list in which each element says how many of those that follow lie in it: they must work out. */
function checkSchema({ schema }: FileMetaData): void {
  let open = 1;
  for (const { num_children: children = 0 } of schema) {
    if (open === 0 || children < 0) throw new Error('its schema is no tree');
    open += children - 1;
  }
  if (open !== 0) throw new Error('its schema is cut short');
}

function rangeOf(column: ColumnMetaData): [start: number, end: number] {
  const start = Number(column.dictionary_page_offset || column.data_page_offset);
  return [start, start + Number(column.total_compressed_size)];
}

function checkColumns(chosen: readonly string[], all: readonly string[], path: string): void {
  const missing = chosen.find(name => !all.includes(name));
  if (missing === undefined) return;
  throw new VenturiError('VENTURI_BAD_OPTION', `${path} has no column '${missing}'`, {
    remedy: `it has ${all.map(name => `'${name}'`).join(', ')}`,
  });
}

/** Whatever goes wrong while a file is decoded is the file's fault, unless it could not be read at all. */
async function damaged<T>(path: string, where: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof VenturiError) throw error;
    throw new VenturiError('VENTURI_BAD_RECORD', `${path}: ${where} cannot be decoded: ${(error as Error).message}`, {
      cause: error,
      remedy: 'the file is damaged, cut short or not Parquet: fetch or write it again',
    });
  }
}
