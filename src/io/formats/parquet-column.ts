import type { ColumnMetaData, Compressors, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader, readColumn } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { flatten } from 'hyparquet/src/utils.js';
import type { ParquetBytes } from './parquet-bytes.ts';
import type { ParquetPages } from './parquet-pages.ts';
import type { Column } from './parquet-row.ts';

/** Most headers are far shorter; one with long values in its statistics is found by reading on. */
const HEADER_BYTES = 4096;

/** One stored column of a row group without lists or structures in it. */
export interface FlatColumn {
  readonly meta: ColumnMetaData;
  /** Leads to it in the schema. */
  readonly path: SchemaTree[];
  readonly start: number;
  readonly end: number;
}

/** A page of more bytes than may be held. */
export class PageTooLarge extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`a page has ${bytes} bytes`);
    this.bytes = bytes;
  }
}

/** A column of a row group, decoded a few pages at a time, front to back. Its bytes are read once. */
export class PagedColumn {
  readonly #bytes: ParquetBytes;
  readonly #pages: ParquetPages;
  readonly #column: FlatColumn;
  /** Bytes that were read and not used yet, and where they lie in the file. */
  #ahead = new Uint8Array();
  #at: number;
  #rowsLeft: number;
  /** The page that later pages point into, as it is stored. */
  #dictionary = new Uint8Array();

  constructor(bytes: ParquetBytes, pages: ParquetPages, column: FlatColumn) {
    this.#bytes = bytes;
    this.#pages = pages;
    this.#column = column;
    this.#at = column.start;
    this.#rowsLeft = Number(column.meta.num_values);
  }

  /** The values of the next page, and of those after it while they are no more than `target` bytes together. */
  next(target: number, most: number): Column {
    this.#fill(target);
    let [used, rows, unpacked] = [0, 0, 0];
    while (rows < this.#rowsLeft) {
      const { header, length } = this.#header(used);
      const end = used + length + header.compressed_page_size;
      if (!(header.compressed_page_size >= 0 && this.#at + end <= this.#column.end)) {
        throw new Error('a page goes beyond its column');
      }
      const size = Math.max(header.uncompressed_page_size, header.compressed_page_size);
      if (size > most) throw new PageTooLarge(size);
      const values = (header.data_page_header ?? header.data_page_header_v2)?.num_values ?? 0;
      if (values < 0 || values > this.#rowsLeft - rows) throw new Error('a page has more values than its column');
      if (rows > 0 && (end > this.#ahead.length || unpacked + size > target)) break;
      this.#fill(end);
      if (header.type === 'DICTIONARY_PAGE') this.#dictionary = this.#ahead.slice(used, end);
      used = end;
      rows += values;
      unpacked += size;
    }
    return this.#decode(used, rows);
  }

  #decode(used: number, rows: number): Column {
    const { meta, path } = this.#column;
    const first = this.#at === this.#column.start;
    const stored = first ? this.#ahead.slice(0, used) : joined(this.#dictionary, this.#ahead.subarray(0, used));
    this.#ahead = this.#ahead.slice(used);
    this.#at += used;
    this.#rowsLeft -= rows;
    this.#pages.check(stored, { ...meta, num_values: BigInt(rows) }, path);
    const select = { groupStart: 0, groupRows: rows, selectStart: 0, selectEnd: rows };
    const { data } = readColumn(
      { view: new DataView(stored.buffer), offset: 0 },
      select,
      decoderOf(meta, path, this.#pages.compressors),
    );
    this.#pages.forget();
    const values = flatten(data);
    if (values.length !== rows) throw new Error(`it has ${values.length} values where it should have ${rows}`);
    return values;
  }

  #header(at: number): { readonly header: PageHeader; readonly length: number } {
    for (let length = HEADER_BYTES; ; length *= 4) {
      this.#fill(at + length);
      const left = this.#ahead.length - at;
      if (left <= 0) throw new Error('it ends before its last value');
      const reader = { view: new DataView(this.#ahead.buffer, at, left), offset: 0 };
      try {
        const header = parquetHeader(reader);
        return { header, length: reader.offset };
      } catch (error) {
        if (!(error instanceof RangeError) || left < length) throw error;
      }
    }
  }

  /** Sees that `length` bytes lie ahead, or all that are left. */
  #fill(length: number): void {
    const wanted = Math.min(length, this.#column.end - this.#at);
    if (this.#ahead.length >= wanted) return;
    const from = this.#at + this.#ahead.length;
    this.#ahead = joined(this.#ahead, new Uint8Array(this.#bytes.slice(from, this.#at + wanted)));
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Bytes are not guessed to be text. */
const decoderOf = (meta: ColumnMetaData, path: SchemaTree[], compressors: Compressors) => ({
  ...meta,
  pathInSchema: meta.path_in_schema,
  schemaPath: path,
  element: (path.at(-1) as SchemaTree).element,
  parsers: DEFAULT_PARSERS,
  compressors,
  utf8: false,
});
