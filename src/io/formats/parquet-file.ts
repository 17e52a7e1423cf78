import {
  type ColumnMetaData,
  type FileMetaData,
  type ParquetScan,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
} from 'hyparquet';
import { getSchemaPath, isFlatColumn } from 'hyparquet/src/schema.js';
import { VenturiError } from '../../model/errors.ts';
import type { RandomAccess, Storage } from '../storage/storage.ts';
import { ParquetBytes } from './parquet-bytes.ts';
import { type FlatColumn, PagedColumn, PageTooLarge } from './parquet-column.ts';
import { cannotFit, type GroupColumn, ParquetGroup } from './parquet-group.ts';
import { ParquetPages } from './parquet-pages.ts';
import type { Column } from './parquet-row.ts';

/** What a row group may take. */
interface GroupRoom {
  readonly memory: number;
  relieve(): void;
}

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

  /** Row group `group`, of whose decoded values no more than `memory` bytes are held at once; `relieve` is called as they are decoded. */
  group(group: number, room: GroupRoom): Promise<ParquetGroup> {
    return damaged(this.#path, `row group ${group}`, async () => this.#group(group, room));
  }

  #group(group: number, { memory, relieve }: GroupRoom): ParquetGroup {
    const rows = this.groups[group] ?? 0;
    const stored = this.columns.map(name => this.#stored(group, name));
    const weight = stored.reduce((sum, columns) => sum + weightOf(columns), 0);
    const divided = weight > memory * WHOLE_SHARE;
    const columns = this.columns.map((name, at) => {
      const parts = stored[at] ?? [];
      const [only] = parts;
      const isFlat = parts.length === 1 && only !== undefined && isFlatColumn(only.path);
      return divided && isFlat ? this.#paged(group, name, only, memory) : this.#whole(group, name, parts);
    });
    if (divided) this.#checkWhole(group, stored, weight, memory);
    return new ParquetGroup(rows, columns, memory * SLICE_SHARE, relieve);
  }

  #checkWhole(group: number, stored: readonly (readonly FlatColumn[])[], weight: number, memory: number): void {
    const nested = stored.filter(columns => columns.length !== 1 || columns.some(({ path }) => !isFlatColumn(path)));
    if (nested.reduce((sum, columns) => sum + weightOf(columns), 0) <= memory * WHOLE_SHARE) return;
    const what = `row group ${group}, whose lists and structures are decoded whole,`;
    throw cannotFit(this.#path, what, weight, memory * WHOLE_SHARE);
  }

  #whole(group: number, name: string, parts: readonly FlatColumn[]): GroupColumn {
    const [rowStart, rowEnd] = [this.#starts[group] ?? 0, this.#starts[group + 1] ?? 0];
    const read = (): Promise<Column> => this.#readColumn(group, name, rowStart, rowEnd);
    return { name, weight: weightOf(parts), next: () => damaged(this.#path, this.#where(group, name), read) };
  }

  #paged(group: number, name: string, stored: FlatColumn, memory: number): GroupColumn {
    const pages = new PagedColumn(this.#bytes, this.#pages, stored);
    const where = this.#where(group, name);
    const next = async (target: number): Promise<Column> => {
      try {
        return await damaged(this.#path, where, async () => pages.next(target, memory));
      } catch (error) {
        if (!(error instanceof VenturiError && error.cause instanceof PageTooLarge)) throw error;
        throw cannotFit(this.#path, `a page of ${where}`, error.cause.bytes, memory);
      }
    };
    return { name, weight: weightOf([stored]), next };
  }

  #where(group: number, column: string): string {
    const [rowStart, rowEnd] = [this.#starts[group] ?? 0, this.#starts[group + 1] ?? 0];
    return `column '${column}' of row group ${group} (rows ${rowStart}-${rowEnd - 1})`;
  }

  /** A column of lists or structures is stored as several, side by side. */
  #stored(group: number, column: string): FlatColumn[] {
    const { schema, row_groups } = this.#scan.metadata;
    return (row_groups[group]?.columns ?? []).flatMap(({ meta_data: meta }) => {
      if (meta?.path_in_schema[0] !== column) return [];
      const [start, end] = rangeOf(meta);
      return [{ meta, path: getSchemaPath(schema, meta.path_in_schema), start, end }];
    });
  }

  async #readColumn(group: number, column: string, rowStart: number, rowEnd: number): Promise<Column> {
    this.#check(group, column);
    const values: Column = await this.#scan.readColumn({ column, rowStart, rowEnd });
    this.#pages.forget();
    this.#bytes.forget();
    if (values.length === rowEnd - rowStart) return values;
    throw new Error(`it has ${values.length} values`);
  }

  #check(group: number, column: string): void {
    const stored = this.#stored(group, column);
    this.#bytes.hold(Math.min(...stored.map(({ start }) => start)), Math.max(...stored.map(({ end }) => end)));
    for (const { meta, path, start, end } of stored) this.#pages.check(this.#bytes.held(start, end), meta, path);
  }

  /** Share of the rows up to row `row` of row group `group`. */
  share(group: number, row: number): number {
    return ((this.#starts[group] ?? 0) + row) / Math.max(1, this.#starts.at(-1) ?? 0);
  }

  close(): void {
    this.#file.close();
  }
}

/** Of the memory, what a row group may take up that is decoded whole: the decoder keeps the last one as well. */
const WHOLE_SHARE = 1 / 4;
/** Share of it for slices of its columns; bytes, pages and rows made of them need the rest. */
const SLICE_SHARE = 1 / 8;

/** A value in an array, and the object behind it where there is one. */
const SLOT_BYTES = 8;
const OBJECT_BYTES = 24;

/** Bytes the values take up once they are decoded, about. */
const weightOf = (stored: readonly FlatColumn[]): number =>
  stored.reduce((sum, { meta }) => {
    const each = SLOT_BYTES + (meta.type.endsWith('BYTE_ARRAY') ? OBJECT_BYTES : 0);
    return sum + Number(meta.total_uncompressed_size) + Number(meta.num_values) * each;
  }, 0);

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
