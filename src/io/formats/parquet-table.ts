import zlib from 'node:zlib';
import type { CompressionCodec } from 'hyparquet';
import { VenturiError } from '../../model/errors.ts';
import { type ZlibStream, ZlibStreams } from '../input/zlib-streams.ts';
import type { FileOutput } from '../storage/write-file.ts';
import { columnOf, type ParquetType, schemaOf, storedValue, typeOf, weightOf } from './parquet-values.ts';
import { checkKeys } from './row-elements.ts';

export type ParquetCompression = 'snappy' | 'gzip' | 'zstd' | 'none';

/** What a reader has to hold of each column at least. */
const PAGE_BYTES = 2 ** 20;

type Compress = (bytes: Uint8Array) => Uint8Array;

/** Absent before Node 22.15, whose types are not these. */
const { createZstdCompress, constants } = zlib as unknown as {
  readonly createZstdCompress?: () => ZlibStream;
  readonly constants: { readonly Z_FINISH: number; readonly ZSTD_e_end: number };
};

function compressing(make: () => ZlibStream, flush: number): Compress {
  const streams = new ZlibStreams(make);
  return bytes => streams.convert(bytes, flush);
}

export const CODECS: Readonly<
  Record<ParquetCompression, { readonly codec: CompressionCodec; readonly compress?: Compress | undefined }>
> = {
  snappy: { codec: 'SNAPPY' },
  gzip: { codec: 'GZIP', compress: compressing(() => zlib.createGzip() as unknown as ZlibStream, constants.Z_FINISH) },
  zstd: { codec: 'ZSTD', compress: createZstdCompress && compressing(createZstdCompress, constants.ZSTD_e_end) },
  none: { codec: 'UNCOMPRESSED' },
};

export type Package = typeof import('hyparquet-writer');

/** The rows of a file, by columns: those of the row group that is being filled lie in memory. */
export class ParquetTable {
  readonly #package: Package;
  readonly #file: Pick<FileOutput, 'write'>;
  readonly #compression: ParquetCompression;
  /** Whether columns were named, so that others are left out. */
  readonly #chosen: boolean;
  /** Undefined until the first row group tells it. */
  readonly #types: Map<string, ParquetType | undefined>;
  #values = new Map<string, unknown[]>();
  #rows = 0;
  #writer: InstanceType<Package['ParquetWriter']> | undefined;
  bytes = 0;

  constructor(
    loaded: Package,
    file: Pick<FileOutput, 'write'>,
    compression: ParquetCompression,
    given: ReadonlyMap<string, ParquetType> | undefined,
  ) {
    this.#package = loaded;
    this.#file = file;
    this.#compression = compression;
    this.#chosen = given !== undefined;
    this.#types = new Map(given);
  }

  add(record: Readonly<Record<string, unknown>>): void {
    if (!this.#chosen) this.#learn(record);
    for (const [name, type] of this.#types) {
      const value = record[name];
      const stored = type === undefined ? null : storedValue(name, type, value);
      this.#column(name).push(stored);
      this.bytes += weightOf(stored);
    }
    this.#rows++;
  }

  /** Columns and types come from the first row group; behind it none can be added. */
  #learn(record: Readonly<Record<string, unknown>>): void {
    if (this.#writer !== undefined) {
      checkKeys(record, this.#types);
      return;
    }
    for (const [name, value] of Object.entries(record)) {
      if (this.#types.get(name) === undefined) this.#types.set(name, typeOf(name, value));
    }
  }

  /** Rows that came before its first value have none. */
  #column(name: string): unknown[] {
    let values = this.#values.get(name);
    if (values === undefined) {
      values = new Array<unknown>(this.#rows).fill(null);
      this.#values.set(name, values);
    }
    return values;
  }

  endGroup(): void {
    const writer = this.#begun();
    const columnData = Array.from(this.#types, ([name, type = 'string']) => columnOf(name, type, this.#column(name)));
    if (this.#rows > 0) writer.write({ columnData, rowGroupSize: this.#rows, pageSize: PAGE_BYTES });
    this.#values = new Map();
    this.#rows = 0;
    this.bytes = 0;
  }

  finish(): void {
    this.endGroup();
    this.#begun().finish();
  }

  #begun(): InstanceType<Package['ParquetWriter']> {
    this.#writer ??= this.#begin();
    return this.#writer;
  }

  #begin(): InstanceType<Package['ParquetWriter']> {
    const types = new Map<string, ParquetType>();
    for (const [name, type] of this.#types) {
      if (type === undefined) throw unknownType(`column '${name}' has no value in the first ${this.#rows} rows`, name);
      types.set(name, type);
    }
    if (types.size === 0) throw unknownType('no element told its columns', 'id');
    const { codec, compress } = CODECS[this.#compression];
    const file = this.#file;
    const bytes = new this.#package.ByteWriter();
    const flush = (): void => {
      file.write(bytes.getBytes());
      bytes.index = 0;
    };
    return new this.#package.ParquetWriter({
      writer: Object.assign(bytes, { flush, finish: flush }),
      schema: schemaOf(types),
      codec,
      createdBy: 'venturi',
      ...(compress !== undefined && { compressors: { [codec]: compress } }),
    });
  }
}

const unknownType = (what: string, column: string): VenturiError =>
  new VenturiError('VENTURI_BAD_RECORD', `writeParquet: ${what}, and a file needs their types`, {
    remedy: `name the columns and their types: columns: { ${JSON.stringify(column)}: 'string', … }`,
  });
