import zlib, { constants, crc32 } from 'node:zlib';
import type { ColumnMetaData, Compressors, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { compressors as portable } from 'hyparquet-compressors';
import { gunzips } from '../input/compression.ts';
import { type ZlibStream, ZlibStreams } from '../input/zlib-streams.ts';
import { checkRle, checkSizedRle } from './parquet-rle.ts';

const brotlis = new ZlibStreams(() => zlib.createBrotliDecompress() as unknown as ZlibStream);

/** Node's own are faster, and check what they unpack; zstd is not among them in all versions supported. */
const DECOMPRESSORS: Compressors = {
  ...portable,
  GZIP: (bytes, length) => gunzips.convert(bytes, constants.Z_FINISH, length),
  BROTLI: (bytes, length) => brotlis.convert(bytes, constants.BROTLI_OPERATION_FINISH, length),
};

/** A page as it lies in the file, and what it holds. */
interface Page {
  readonly packed: Uint8Array;
  readonly unpacked: Uint8Array;
}

/**
 * Looks through the pages of a column before the decoder does, which trusts what it reads: a run of two thousand million
 * values, which is one wrong bit, would end the whole process. Pages with a checksum are held to it. What was unpacked
 * on the way is kept, so that the decoder need not unpack it again.
 */
export class ParquetPages {
  readonly #pages = new Map<number, Page>();

  /** To be given to the decoder. */
  readonly compressors: Compressors = Object.fromEntries(
    Object.entries(DECOMPRESSORS).map(([codec, unpack]) => [
      codec,
      (bytes: Uint8Array, length: number): Uint8Array => this.#kept(bytes) ?? unpack(bytes, length),
    ]),
  );

  /** Throws where the column `bytes` is damaged. `path` leads to it in the schema. */
  check(bytes: Uint8Array<ArrayBuffer>, column: ColumnMetaData, path: SchemaTree[]): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const reader = { view, offset: 0 };
    let left = Number(column.num_values);
    while (left > 0 && reader.offset < bytes.length) {
      const header = parquetHeader(reader);
      const end = reader.offset + header.compressed_page_size;
      if (!(header.compressed_page_size >= 0 && end <= bytes.length)) throw new Error('a page goes beyond its column');
      const page = bytes.subarray(reader.offset, end);
      const sum = crc32(page);
      if (header.crc !== undefined && (header.crc | 0) !== (sum | 0)) throw new Error("a page's checksum is wrong");
      const values = (header.data_page_header ?? header.data_page_header_v2)?.num_values ?? 0;
      left -= values;
      if (values < 0 || left < 0) throw new Error('a page has more values than its column');
      this.#checkPage(page, header, column, path);
      reader.offset = end;
    }
  }

  /** The column is decoded. */
  forget(): void {
    this.#pages.clear();
  }

  #checkPage(page: Uint8Array, header: PageHeader, column: ColumnMetaData, path: SchemaTree[]): void {
    const [repetition, definition] = [widthOf(getMaxRepetitionLevel(path)), widthOf(getMaxDefinitionLevel(path))];
    const { data_page_header: first, data_page_header_v2: second } = header;
    if (first !== undefined) {
      const data = this.#unpack(page, header.uncompressed_page_size, column);
      if (data === undefined) return;
      let at = repetition === 0 ? 0 : checkSizedRle(data, 0, repetition, first.num_values);
      if (definition > 0) at = checkSizedRle(data, at, definition, first.num_values);
      checkValues(data.subarray(at), first.encoding, column, first.num_values);
    } else if (second !== undefined) {
      const levels = second.repetition_levels_byte_length;
      const body = levels + second.definition_levels_byte_length;
      if (!(levels >= 0 && body >= levels && body <= page.length)) throw new Error('levels go beyond their page');
      if (repetition > 0) checkRle(page.subarray(0, levels), repetition, second.num_values);
      if (definition > 0) checkRle(page.subarray(levels, body), definition, second.num_values);
      const packed = page.subarray(body);
      const size = header.uncompressed_page_size - body;
      const data = second.is_compressed === false ? packed : this.#unpack(packed, size, column);
      if (data !== undefined) checkValues(data, second.encoding, column, second.num_values);
    }
  }

  /** Undefined where the codec is not known: the decoder says so. */
  #unpack(packed: Uint8Array, length: number, { codec }: ColumnMetaData): Uint8Array | undefined {
    if (codec === 'UNCOMPRESSED') return packed;
    if (length < 0) throw new Error('a page has a negative size');
    const unpacked = DECOMPRESSORS[codec]?.(packed, length);
    if (unpacked !== undefined) this.#pages.set(crc32(packed), { packed, unpacked });
    return unpacked;
  }

  #kept(bytes: Uint8Array): Uint8Array | undefined {
    const page = this.#pages.get(crc32(bytes));
    return page !== undefined && Buffer.compare(page.packed, bytes) === 0 ? page.unpacked : undefined;
  }
}

function checkValues(data: Uint8Array, encoding: string, { type }: ColumnMetaData, count: number): void {
  if (encoding === 'RLE' && type === 'BOOLEAN') checkSizedRle(data, 0, 1, count);
  else if ((encoding === 'RLE_DICTIONARY' || encoding === 'PLAIN_DICTIONARY') && data.length > 0) {
    const width = data[0] ?? 0;
    if (width > 32) throw new Error(`numbers of ${width} bits cannot point into a dictionary`);
    if (width > 0) checkRle(data.subarray(1), width, count);
  }
}

/** Bits of the largest level. */
const widthOf = (level: number): number => 32 - Math.clz32(level);
